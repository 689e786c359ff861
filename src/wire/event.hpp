#pragma once

#include <string_view>

#include "base/json_writer.hpp"
#include "domain/record.hpp"

/// Domain events as JSON: the same in pages, in streams, and in what is sent to subscribers.
namespace holdfast {

/// The name of the event of such a record; empty: it is none.
[[nodiscard]] std::string_view event_name(RecordKind kind);

/// Of a record that is an event.
void write_event(JsonWriter& json, const Record& record);

}  // namespace holdfast
