"""Computes command keys and fingerprints anew, with nothing of Holdfast in it.

python3 command_keys.py docs/vectors/command_keys.json prints, for each vector, its name, key,
fingerprint and the inputs of both; for each refused text, its name and `refused`, or its form.
"""

import hashlib
import json
import math
import sys

EXACT = 2**53 - 1


class Refused(Exception):
    pass


def number(value):
    """As ECMAScript's Number::toString writes it."""
    if isinstance(value, int):
        if abs(value) > EXACT:
            raise Refused
        return str(value)
    if math.isinf(value) or math.isnan(value):
        raise Refused
    if EXACT < abs(value) < 1e21:
        raise Refused
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    point -= len(digits) - len(digits.lstrip("0"))
    digits = digits.strip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    rest = "." + digits[1:] if count > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def string(text):
    if any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        raise Refused
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
    return '"' + "".join(short.get(c) or (c if c >= " " else f"\\u{ord(c):04x}") for c in text) + '"'


def canonical(value):
    """RFC 8785."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, str):
        return string(value)
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(string(name) + ":" + canonical(value[name]) for name in names) + "}"


def without_twins(members):
    made = dict(members)
    if len(made) != len(members):
        raise Refused
    return made


def parse(text):
    return json.loads(text, object_pairs_hook=without_twins)


def inputs(vector):
    request = vector["request"]
    intent = request["intent"]
    actors = {"actor_id": request["actor_id"]}
    actors["effective_actor_id"] = request.get("effective_actor_id", request["actor_id"])
    key = {
        "version": 1,
        "tenant": vector["tenant"],
        "actor": actors[vector["principal"]],
        "entity": intent["entity"],
        "action": intent["action"],
        "args": request.get("args", {}),
    }
    if "target" in intent:
        key["target"] = intent["target"]
    if "command_kind" in request:
        key["command_kind"] = request["command_kind"]
    both = {"actor": actors["actor_id"], "effective_actor": actors["effective_actor_id"]}
    return canonical(key), canonical({**key, **both})


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def main(path):
    with open(path, encoding="utf-8") as file:
        document = parse(file.read())
    for vector in document["vectors"]:
        key, fingerprint = inputs(vector)
        print(vector["name"], "ik1-" + sha256(key), sha256(fingerprint), key, fingerprint, sep="\t")
    for refused in document["refused"]:
        try:
            print(refused["name"], canonical(parse(refused["json"])), sep="\t")
        except Refused:
            print(refused["name"], "refused", sep="\t")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    main(sys.argv[1])
