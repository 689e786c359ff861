// TLS, and certificates for clients.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

template <auto release>
struct Releases {
  template <typename T>
  void operator()(T* pointer) const {
    release(pointer);
  }
};
using PrivateKey = std::unique_ptr<EVP_PKEY, Releases<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Releases<X509_free>>;

/// A key pair and a certificate for it, in two files; signed by `issuer`, or by itself.
struct Pair {
  Pair(const TempDir& dir, const std::string& name, const Pair* issuer = nullptr)
      : key(EVP_RSA_gen(2048)),
        certificate(X509_new()),
        key_file(dir.file(name + ".key")),
        certificate_file(dir.file(name + ".pem")) {
    X509* const x509 = certificate.get();
    X509_set_version(x509, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x509), issuer == nullptr ? 1 : 2);
    X509_gmtime_adj(X509_getm_notBefore(x509), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x509), 3600);
    X509_set_pubkey(x509, key.get());
    X509_NAME* const subject = X509_get_subject_name(x509);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    const Pair& signer = issuer == nullptr ? *this : *issuer;
    X509_set_issuer_name(x509, X509_get_subject_name(signer.certificate.get()));
    if (issuer == nullptr) {
      X509_EXTENSION* const ca =
          X509V3_EXT_conf_nid(nullptr, nullptr, NID_basic_constraints, "critical,CA:TRUE");
      X509_add_ext(x509, ca, -1);
      X509_EXTENSION_free(ca);
    }
    X509_sign(x509, signer.key.get(), EVP_sha256());
    FILE* file = std::fopen(key_file.c_str(), "w");
    PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    file = std::fopen(certificate_file.c_str(), "w");
    PEM_write_X509(file, x509);
    std::fclose(file);
  }

  PrivateKey key;
  Certificate certificate;
  std::string key_file, certificate_file;
};

/// Requests over TLS, each in a record of its own; empty when the handshake or one of them fails.
std::string ask_all(std::uint16_t port, const std::vector<std::string>& requests,
                    const Pair* client = nullptr, int version_max = 0) {
  const std::unique_ptr<SSL_CTX, Releases<SSL_CTX_free>> context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_security_level(context.get(), 0);  // this side would speak any version
  SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context.get(), version_max);
  if (client != nullptr) {
    SSL_CTX_use_certificate(context.get(), client->certificate.get());
    SSL_CTX_use_PrivateKey(context.get(), client->key.get());
  }
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string all;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const std::unique_ptr<SSL, Releases<SSL_free>> ssl(SSL_new(context.get()));
    SSL_set_fd(ssl.get(), socket);
    std::array<char, 4096> bytes{};
    bool alive = SSL_connect(ssl.get()) == 1;
    for (const std::string& request : requests) {
      alive = alive && SSL_write(ssl.get(), request.data(), static_cast<int>(request.size())) > 0;
    }
    if (alive) {
      int count = 0;
      while ((count = SSL_read(ssl.get(), bytes.data(), static_cast<int>(bytes.size()))) > 0)
        all.append(bytes.data(), static_cast<std::size_t>(count));
      // Else nobody could tell the end from a cut.
      EXPECT_TRUE(all.empty() || SSL_get_error(ssl.get(), count) == SSL_ERROR_ZERO_RETURN) << all;
    }
  }
  ::close(socket);
  return all;
}

std::string ask(std::uint16_t port, const std::string& request, const Pair* client = nullptr) {
  return ask_all(port, {request}, client);
}

class TlsTest : public HttpTest {
 protected:
  TlsTest() { std::signal(SIGPIPE, SIG_IGN); }  // a peer that has gone is noticed when writing

  [[nodiscard]] static std::string placing(const std::string& key) {
    return request_text("POST", "/v1/holds", {{"Idempotency-Key", key}, {"Connection", "close"}},
                        holding("room_" + key));
  }
  Pair server_pair_{dir_, "server"};
};

TEST_F(TlsTest, ServesOverTls) {
  http::Settings settings;
  settings.tls = {.certificate = server_pair_.certificate_file, .key = server_pair_.key_file};
  start(settings);
  EXPECT_THAT(server_->address(), StartsWith("https://"));
  EXPECT_THAT(ask(port(), placing("k-1")), StartsWith("HTTP/1.1 201"));
  EXPECT_THAT(ask(port(), placing("k-1")), HasSubstr("Idempotent-Replayed: true"));
  // In clear it is not served.
  RawConnection plain = connect();
  (void)plain.send(request_text("GET", "/livez"));
  EXPECT_THAT(plain.read_to_end(), testing::Not(HasSubstr("200 OK")));
  std::string large =
      request_text("POST", "/v1/holds", {{"Idempotency-Key", "k-2"}}, std::string(200'000, ' '));
  EXPECT_THAT(ask(port(), large), StartsWith("HTTP/1.1 413"));
}

TEST_F(TlsTest, AnIdleConnectionIsEndedInGoodOrder) {
  http::Settings settings;
  settings.tls = {.certificate = server_pair_.certificate_file, .key = server_pair_.key_file};
  settings.limits.idle_deadline = std::chrono::seconds(2);
  start(settings);
  EXPECT_THAT(ask(port(), request_text("GET", "/livez")), StartsWith("HTTP/1.1 200"));
}

/// Closed at once, it would make the peer lose its answer.
TEST_F(TlsTest, WhoeverIsRefusedMaySendOn) {
  http::Settings settings;
  settings.tls = {.certificate = server_pair_.certificate_file, .key = server_pair_.key_file};
  start(settings);
  const std::string large = request_text("POST", "/v1/holds", {{"Idempotency-Key", "k-1"}},
                                         std::string(std::size_t{8} * 1024 * 1024, ' '));
  for (int i = 0; i < 5; ++i) EXPECT_THAT(ask(port(), large), StartsWith("HTTP/1.1 413"));
}

TEST_F(TlsTest, OldVersionsAreNotSpoken) {
  http::Settings settings;
  settings.tls = {.certificate = server_pair_.certificate_file, .key = server_pair_.key_file};
  start(settings);
  for (const int old : {TLS1_VERSION, TLS1_1_VERSION})
    EXPECT_EQ(ask_all(port(), {placing("k-1")}, nullptr, old), "");
  for (const int good : {TLS1_2_VERSION, TLS1_3_VERSION})
    EXPECT_THAT(ask_all(port(), {placing("k-1")}, nullptr, good), StartsWith("HTTP/1.1 201"));
}

TEST_F(TlsTest, AHandshakeThatDoesNotComeIsNotWaitedForLong) {
  http::Settings settings;
  settings.tls = {.certificate = server_pair_.certificate_file, .key = server_pair_.key_file};
  settings.limits.header_deadline = std::chrono::milliseconds(300);
  settings.limits.idle_deadline = std::chrono::hours(1);
  start(settings);
  for (const char* begun : {"", "\x16\x03\x01"}) {
    RawConnection silent = connect();
    ASSERT_TRUE(silent.send(begun));
    (void)silent.read_to_end(std::chrono::seconds(60));
  }
}

/// A read gives one record, however many there are.
TEST_F(TlsTest, PipelinedRequestsRunSideBySideWhateverRecordsTheyComeIn) {
  HeldStage held;
  observer_ = held.at(Stage::write);
  http::Settings settings;
  settings.tls = {.certificate = server_pair_.certificate_file, .key = server_pair_.key_file};
  start(settings);
  std::vector<std::string> requests;
  for (int i = 0; i < 20; ++i) {
    requests.push_back(request_text("POST", "/v1/holds", {{"Idempotency-Key", std::to_string(i)}},
                                    holding("room_" + std::to_string(i))));
  }
  requests.push_back(placing("last"));
  std::string answers;
  std::thread client([&] { answers = ask_all(port(), requests); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // until all are under way
  held.let_go();
  client.join();
  std::size_t placed = 0;
  for (std::size_t at = 0; (at = answers.find("HTTP/1.1 201", at)) != std::string::npos; ++at) {
    ++placed;
  }
  EXPECT_EQ(placed, requests.size());
  // Those that came while the first was being written were written together.
  EXPECT_THAT(ask(port(), request_text("GET", "/metrics", {{"Connection", "close"}})),
              testing::ContainsRegex("holdfast_batch_calls_count [12]\n"));
}

TEST_F(TlsTest, ClientsMustShowACertificateWhenAnAuthorityIsGiven) {
  const Pair authority(dir_, "authority");
  const Pair friend_pair(dir_, "friend", &authority);
  const Pair stranger(dir_, "stranger");
  http::Settings settings;
  settings.tls = {.certificate = server_pair_.certificate_file,
                  .key = server_pair_.key_file,
                  .client_ca = authority.certificate_file};
  start(settings);
  EXPECT_EQ(ask(port(), placing("k-1")), "");
  EXPECT_EQ(ask(port(), placing("k-1"), &stranger), "");
  EXPECT_THAT(ask(port(), placing("k-1"), &friend_pair), StartsWith("HTTP/1.1 201"));
}

TEST_F(TlsTest, BadFilesAreNamedAtStart) {
  const Pair other(dir_, "other");
  const auto error_of = [&](const http::Tls& tls) {
    http::Settings settings;
    settings.listen = "127.0.0.1:0";
    settings.store = dir_.file("holdfast.db");
    settings.tls = tls;
    const auto server = http::Server::start(settings);
    return server ? std::string("started") : server.error();
  };
  EXPECT_THAT(error_of({.certificate = "/nowhere.pem", .key = server_pair_.key_file}),
              HasSubstr("/nowhere.pem"));
  EXPECT_THAT(error_of({.certificate = server_pair_.certificate_file, .key = "/nowhere.key"}),
              HasSubstr("/nowhere.key"));
  EXPECT_THAT(error_of({.certificate = server_pair_.certificate_file, .key = other.key_file}),
              HasSubstr(other.key_file));
  EXPECT_THAT(error_of({.certificate = server_pair_.certificate_file,
                        .key = server_pair_.key_file,
                        .client_ca = server_pair_.key_file}),
              HasSubstr("authority"));
}

}  // namespace
}  // namespace holdfast::test
