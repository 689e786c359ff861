#include "support/old_stores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/json_members.hpp"
#include "holdfast/holdfast.hpp"
#include "support/gzip.hpp"
#include "support/paths.hpp"
#include "support/servers/mariadb_server.hpp"
#include "support/servers/postgres_server.hpp"
#include "wire/body.hpp"

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;

const fs::path fixtures = HOLDFAST_SOURCE_DIR "/tests/fixtures";
constexpr std::string_view folder_prefix = "schema_";

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

KeptAnswer kept_answer_of(const simdjson::dom::element& json) {
  KeptAnswer kept;
  kept.call = plain_call_of(json["call"]);
  kept.collision = json["collision"].get_bool();
  kept.status = static_cast<int>(json["status"].get_int64());
  kept.body = std::string_view(json["body"]);
  return kept;
}

TestDatabase database_for(std::string_view engine) {
  DatabaseServer& server =
      engine == "postgres" ? PostgresServer::shared() : MariadbServer::shared();
  return server.create_database();
}

}  // namespace

fs::path folder_of(const OldStoreName& name) {
  return fixtures / fmt::format("{}{}", folder_prefix, name.schema) / name.engine;
}

std::vector<OldStoreName> old_stores(int schema) {
  std::vector<OldStoreName> all;
  for (const auto& version : fs::directory_iterator(fixtures)) {
    const std::string folder = version.path().filename();
    if (!folder.starts_with(folder_prefix)) continue;
    const int number = std::stoi(folder.substr(folder_prefix.size()));
    if (schema != 0 && number != schema) continue;
    for (const auto& engine : fs::directory_iterator(version.path()))
      all.push_back({number, engine.path().filename()});
  }
  std::sort(all.begin(), all.end(), [](const OldStoreName& one, const OldStoreName& other) {
    return std::tie(one.schema, one.engine) < std::tie(other.schema, other.engine);
  });
  return all;
}

std::string text_of(const OldStoreName& name) {
  return fmt::format("{}{}_{}", folder_prefix, name.schema, name.engine);
}

std::string json_of(const KeptAnswer& kept) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("call");
  json.raw(json_of(kept.call));
  json.key("collision");
  json.boolean(kept.collision);
  integer_member(json, "status", kept.status);
  text_member(json, "body", kept.body);
  json.end_object();
  return text;
}

std::vector<std::string> answered_otherwise(const OldStore& old, const std::string& copy) {
  auto opened = open({.store = copy.empty() ? old.store() : copy, .sweep_every = Duration::zero()});
  if (!opened) return {opened.error().message};
  std::vector<std::string> wrong;
  const Counts before = opened->counts();
  if (before.records != old.records())
    wrong.push_back(fmt::format("{} records, not {}", before.records, old.records()));
  std::vector<Call> calls;
  for (const KeptAnswer& kept : old.answers()) calls.push_back(call_of(kept.call));
  const std::vector<Answer> answers = opened->submit(std::move(calls));
  std::size_t repeated = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const KeptAnswer& kept = old.answers()[i];
    const std::string body = answer_body(answers[i]);
    const int status = http_status(answers[i]);
    if (body != kept.body || status != kept.status || answers[i].replayed == kept.collision) {
      wrong.push_back(fmt::format("{}\n  then {} {}\n  now {} {}", json_of(kept.call), kept.status,
                                  kept.body, status, body));
    }
    if (!kept.collision) ++repeated;
  }
  const Counts after = opened->counts();
  if (after.holds != before.holds || after.live_holds != before.live_holds ||
      after.resources != before.resources || after.live_tokens != before.live_tokens)
    wrong.emplace_back("repeating changed something");
  if (before.live_tokens != repeated) wrong.emplace_back("the answers are not those of all tokens");
  return wrong;
}

OldStore::OldStore(const OldStoreName& name) : name_(name) {
  unpack_store();
  read_answers();
  const fs::path kept = folder_of(name_);
  for (const char* file : {"evidence-key", "evidence.pub"}) {
    fs::copy_file(kept / file, folder_.file(file));
    fs::permissions(folder_.file(file), fs::perms::owner_read | fs::perms::owner_write);
  }
  std::ofstream(exported(), std::ios::binary) << gunzipped(kept / "evidence.jsonl.gz");
  for (const std::string& head : lines_in(gunzipped(kept / "heads.jsonl.gz"))) {
    heads_.push_back(folder_.file(fmt::format("head_{}.json", heads_.size() + 1)));
    std::ofstream(heads_.back(), std::ios::binary) << head << '\n';
    simdjson::dom::parser parser;
    records_ = parser.parse(head)["size"];
  }
}

std::string OldStore::store() const {
  return database_ == nullptr ? folder_.file("store.db") : database_->url();
}

void OldStore::unpack_store() {
  const fs::path kept = folder_of(name_);
  if (name_.engine == "sqlite") {
    std::ofstream(store(), std::ios::binary) << gunzipped(kept / "store.db.gz");
    return;
  }
  database_ = std::make_unique<TestDatabase>(database_for(name_.engine));
  (void)database_->connect().execute(gunzipped(kept / "store.sql.gz"));
}

void OldStore::read_answers() {
  simdjson::dom::parser parser;
  for (const std::string& line : lines_in(gunzipped(folder_of(name_) / "answers.jsonl.gz")))
    answers_.push_back(kept_answer_of(parser.parse(line)));
}

}  // namespace holdfast::test
