#!/usr/bin/env python3
"""Webhooks signed with nothing but Python's library, for tests/unit/signature_vectors_test.cpp.

A line is a webhook, fields separated by tabs: the scheme, the secret and the body in hex, then a
header in each field. The text of secrets and the content that is signed are made here, from the
descriptions of the schemes, by code that shares nothing with ours.
"""

import base64
import hashlib
import hmac
import random

draw = random.Random(20)
signed_at = 1614265330


def code(key, content, algorithm=hashlib.sha256):
    return hmac.new(key, content, algorithm)


def write(scheme, secret, body, headers):
    print("\t".join([scheme, secret.hex(), body.hex()] + [f"{n}: {v}" for n, v in headers]))


def bodies():
    yield b'{"id":"evt_1"}'
    yield '{"id":"evt_1","text":"\u00fc\u20ac\U0001f600"}'.encode()
    yield b' {\r\n "id" : "evt_1" }\n'
    yield b'{"id":"evt_1","text":"' + b"x" * 5_000 + b'"}'


def standard(body):
    id = "msg_" + draw.randbytes(12).hex()
    for size in (24, 25, 26, 32, 64):
        key = draw.randbytes(size)
        text = base64.b64encode(code(key, f"{id}.{signed_at}.".encode() + body).digest()).decode()
        write("standard", b"whsec_" + base64.b64encode(key), body,
              [("webhook-id", id), ("webhook-timestamp", signed_at), ("webhook-signature", f"v1,{text}")])


def timestamped(body):
    secret = b"whsec_" + base64.b64encode(draw.randbytes(24))  # used as it is shown
    text = code(secret, f"{signed_at}.".encode() + body).hexdigest()
    write("timestamped", secret, body, [("Stripe-Signature", f"t={signed_at},v1={text},v0=6ffbb59b")])


def github(body):
    secret = draw.randbytes(20)
    write("github", secret, body,
          [("X-Hub-Signature-256", "sha256=" + code(secret, body).hexdigest()), ("X-GitHub-Delivery", "evt_1")])


def plain(body):
    for name in ("sha256", "sha512"):
        for size in (1, 64, 128, 200):  # about the blocks of the hashes
            secret = draw.randbytes(size)
            made = code(secret, body, name)
            timed = code(secret, f"{signed_at}.".encode() + body, name)
            time = ("X-Time", signed_at)
            write(f"{name} hex", secret, body, [("X-Code", made.hexdigest())])
            write(f"{name} hex", secret, body, [("X-Code", made.hexdigest().upper())])
            write(f"{name} base64", secret, body, [("X-Code", base64.b64encode(made.digest()).decode())])
            write(f"{name} hex timed", secret, body, [time, ("X-Code", timed.hexdigest())])
            write(f"{name} base64 timed", secret, body, [time, ("X-Code", base64.b64encode(timed.digest()).decode())])


for each in bodies():
    for make in (standard, timestamped, github, plain):
        make(each)
