#!/usr/bin/env python3
"""A card provider to try commands with. It knows idempotency keys, and can be told to misbehave.

  POST /charges   charges a card: once for each Idempotency-Key, however often it is called
  GET  /charges   what was charged, by key: {"order-1": {"calls": 2, "charges": 1, ...}}
  POST /next      what becomes of the next call, as text:
                    lose     the card is charged, and the answer is lost
                    decline  the card is not charged: 402
                    busy     the card is not charged: 429, try again
"""

import http.server
import json
import sys
import threading

PORT = 9999


class Provider(http.server.BaseHTTPRequestHandler):
    lock = threading.Lock()
    by_key = {}
    plans = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/next":
            self.plans.append(body.decode())
            self.answer(200, {"next": self.plans})
        elif self.path == "/charges":
            self.charge(self.headers["Idempotency-Key"], json.loads(body))
        else:
            self.answer(404, {})

    def do_GET(self):
        self.answer(200 if self.path == "/charges" else 404, self.by_key)

    def charge(self, key, what):
        with self.lock:
            plan = self.plans.pop(0) if self.plans else ""
            of_key = self.by_key.setdefault(key, {"calls": 0, "charges": 0})
            of_key["calls"] += 1
            if plan == "decline":
                return self.answer(402, {"error": "the card is empty"})
            if plan == "busy":
                return self.answer(429, {"error": "later, please"})
            if of_key["charges"] == 0:  # a key that is known is charged no second time
                of_key["charges"] = 1
                of_key["id"] = f"ch_{len(self.by_key)}"
                of_key["amount"] = what["amount"]
            if plan == "lose":
                self.close_connection = True  # and not a word
                return None
            return self.answer(201, {"id": of_key["id"], "amount": of_key["amount"]})

    def answer(self, status, document):
        text = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else PORT
    http.server.ThreadingHTTPServer(("127.0.0.1", port), Provider).serve_forever()
