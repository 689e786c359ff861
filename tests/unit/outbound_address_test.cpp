#include <gtest/gtest.h>

#include "outbound/address_policy.hpp"
#include "outbound/url.hpp"

namespace holdfast::outbound {
namespace {

boost::asio::ip::address at(const char* text) { return boost::asio::ip::make_address(text); }

AddressPolicy policy_with(const std::vector<std::string>& allowed) {
  auto policy = AddressPolicy::make(allowed);
  EXPECT_TRUE(policy.has_value()) << policy.error();
  return *policy;
}

TEST(OutboundAddresses, of_the_internet_are_allowed) {
  const AddressPolicy policy = policy_with({});
  for (const char* each :
       {"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255",
        "172.32.0.0", "192.167.255.255", "198.17.0.0", "198.20.0.0", "223.255.255.255",
        "2606:4700::1111", "2400::1", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2002:101:101::1"}) {
    EXPECT_TRUE(policy.allows("host", at(each))) << each;
  }
}

TEST(OutboundAddresses, of_any_other_kind_are_refused) {
  const AddressPolicy policy = policy_with({});
  for (const char* each :
       {"0.0.0.0",         "0.1.2.3",     "10.0.0.1",        "10.255.255.255",  "100.64.0.0",
        "100.127.255.255", "127.0.0.1",   "127.255.255.254", "169.254.169.254", "172.16.0.1",
        "172.31.255.255",  "192.0.0.8",   "192.0.2.1",       "192.168.1.1",     "198.18.0.1",
        "198.51.100.1",    "203.0.113.1", "224.0.0.1",       "239.255.255.255", "240.0.0.1",
        "255.255.255.255"}) {
    EXPECT_FALSE(policy.allows("host", at(each))) << each;
  }
  for (const char* each :
       {"::", "::1", "fe80::1", "fe80::1%1", "fec0::1", "fc00::1", "fd12::1", "ff02::1",
        "2001:db8::1", "3fff::1", "2001::1", "100::1", "4000::1", "64:ff9b:1::1", "5f00::1"}) {
    EXPECT_FALSE(policy.allows("host", at(each))) << each;
  }
}

TEST(OutboundAddresses, are_known_in_other_clothes) {
  const AddressPolicy policy = policy_with({});
  for (const char* each : {"::ffff:127.0.0.1", "::ffff:10.1.1.1", "::ffff:169.254.169.254",
                           "::127.0.0.1", "::1.1.1.1", "64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1",
                           "2002:7f00:1::1", "2002:a00:1::", "2002:c0a8:101::1"}) {
    EXPECT_FALSE(policy.allows("host", at(each))) << each;
  }
}

TEST(OutboundAddresses, may_be_listed) {
  const AddressPolicy policy = policy_with({"10.1.0.0/16", "127.0.0.2", "fd00:1::/32", "::1"});
  for (const char* each :
       {"10.1.0.0", "10.1.255.255", "127.0.0.2", "::ffff:10.1.2.3", "fd00:1::5", "::1"}) {
    EXPECT_TRUE(policy.allows("host", at(each))) << each;
  }
  for (const char* each :
       {"10.2.0.0", "10.0.255.255", "127.0.0.1", "fd00:2::5", "::2", "64:ff9b::10.1.2.3"}) {
    EXPECT_FALSE(policy.allows("host", at(each))) << each;
  }
}

TEST(OutboundAddresses, may_be_those_of_a_listed_name) {
  const AddressPolicy policy = policy_with({"Billing.Internal"});
  EXPECT_TRUE(policy.allows("billing.internal", at("10.0.0.1")));
  EXPECT_TRUE(policy.allows("billing.internal", at("127.0.0.1")));
  EXPECT_FALSE(policy.allows("x.billing.internal", at("10.0.0.1")));
  EXPECT_FALSE(policy.allows("internal", at("10.0.0.1")));
  for (const char* each : {"0.0.0.0", "255.255.255.255", "224.0.0.1", "::", "ff02::1"}) {
    EXPECT_FALSE(policy.allows("billing.internal", at(each))) << each << " is nobody's";
  }
}

TEST(OutboundAddresses, are_listed_in_one_of_three_ways) {
  for (const char* each : {"", "10.0.0.0/33", "10.0.0/8", "a b", "http://x", "1.2.3", "a:80"}) {
    const auto policy = AddressPolicy::make({each});
    ASSERT_FALSE(policy.has_value()) << each;
    EXPECT_NE(policy.error().find("is no network"), std::string::npos);
  }
}

TEST(OutboundUrls, are_taken_apart) {
  const auto url = parse_url("HTTPS://Example.COM:8443/a/b?c=%2F");
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->tls);
  EXPECT_EQ(url->host, "example.com");
  EXPECT_EQ(url->port, 8443);
  EXPECT_EQ(url->target, "/a/b?c=%2F");
  EXPECT_EQ(url->origin(), "https://example.com:8443");
  EXPECT_EQ(parse_url("http://h")->target, "/");
  EXPECT_EQ(parse_url("http://h?q")->target, "/?q");
  EXPECT_EQ(parse_url("http://h:80/")->authority(), "h");
  EXPECT_EQ(parse_url("https://h:443/")->authority(), "h");
  EXPECT_EQ(parse_url("http://[::0001]:8080/")->authority(), "[::1]:8080");
  EXPECT_TRUE(parse_url("http://127.0.0.1/")->address);
}

TEST(OutboundUrls, that_could_mean_two_things_are_refused) {
  for (const char* each : {"",
                           "h",
                           "/p",
                           "http:/h",
                           "http:h",
                           "ftp://h",
                           "file:///etc/passwd",
                           "http://",
                           "http:///p",
                           "http://u@h/",
                           "http://u:p@h/",
                           "http://h:0/",
                           "http://h:65536/",
                           "http://h:-1/",
                           "http://h:/",
                           "http://h:+80/",
                           "http://h: 80/",
                           "http://h:80x/",
                           "http://a..b/",
                           "http://.h/",
                           "http://h./",
                           "http://-h/",
                           "http://h_/%",
                           "http://h/%2",
                           "http://h/%zz",
                           "http://h/a b",
                           "http://h/a#b",
                           "http://h/\r\nX: y",
                           "http://h\r\n/",
                           "http://h/\xc3\xa9",
                           "http://\xc3\xa9/",
                           "http://h%00/",
                           "http://[::1",
                           "http://[::1%25eth0]/",
                           "http://[::1]x/",
                           "http://::1/",
                           "http://127.1/",
                           "http://2130706433/",
                           "http://0x7f000001/",
                           "http://127.0.0.0x1/",
                           "http://010.0.0.1/",
                           "http://1.2.3.4.5/",
                           "http://h\\@x/",
                           "http://h/<>",
                           "http://h/a\\b",
                           "http://h/{x}"}) {
    EXPECT_FALSE(parse_url(each)) << each;
  }
  EXPECT_FALSE(parse_url("http://h/" + std::string(9000, 'a')));
  EXPECT_FALSE(parse_url("http://" + std::string(64, 'a') + ".com/"));
  EXPECT_FALSE(parse_url(std::string("http://h/\0x", 11)));
}

TEST(OutboundUrls, are_found_from_where_one_is) {
  const Url base = *parse_url("https://h:1/a/b/c?d");
  const auto leads = [&](const char* reference) {
    const auto url = resolve_reference(base, reference);
    return url ? url->origin() + url->target : "nowhere";
  };
  EXPECT_EQ(leads("x"), "https://h:1/a/b/x");
  EXPECT_EQ(leads("./x"), "https://h:1/a/b/x");
  EXPECT_EQ(leads("../x?y#z"), "https://h:1/a/x?y");
  EXPECT_EQ(leads("../../../../x"), "https://h:1/x");
  EXPECT_EQ(leads(".."), "https://h:1/a/");
  EXPECT_EQ(leads("."), "https://h:1/a/b/");
  EXPECT_EQ(leads("/x/../y"), "https://h:1/y");
  EXPECT_EQ(leads("?y"), "https://h:1/a/b/c?y");
  EXPECT_EQ(leads(""), "https://h:1/a/b/c?d");
  EXPECT_EQ(leads("//o/x"), "https://o/x");
  EXPECT_EQ(leads("http://o:2"), "http://o:2/");
  EXPECT_EQ(leads("x:y"), "nowhere");
  EXPECT_EQ(leads("javascript:alert(1)"), "nowhere");
  EXPECT_EQ(leads("/a b"), "nowhere");
}

}  // namespace
}  // namespace holdfast::outbound
