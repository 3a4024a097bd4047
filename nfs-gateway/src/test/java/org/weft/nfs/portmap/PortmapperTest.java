package org.weft.nfs.portmap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.oncrpc.RawConnection;

/** RFC 1833, byte by byte. */
class PortmapperTest {
  private static final String AUTH = "00000000".repeat(4);
  private static final String DONE =
      "00000007" + "00000001" + "00000000" + "00000000" + "00000000" + "00000000";

  private final ModelFileService files = new ModelFileService();
  private final ModelGateway gateway = new ModelGateway(files, files.root());
  private final int port = gateway.address().getPort();

  @AfterEach
  void stop() {
    gateway.close();
  }

  private String call(int version, int procedure, String arguments) throws Exception {
    try (RawConnection raw = new RawConnection(gateway.portmap())) {
      raw.send(
          "00000007"
              + "00000000"
              + "00000002"
              + "000186a0"
              + "%08x".formatted(version)
              + "%08x".formatted(procedure)
              + AUTH
              + arguments);
      String reply = raw.receive();
      assertEquals(DONE, reply.substring(0, DONE.length()));
      return reply.substring(DONE.length());
    }
  }

  private static String text(String text) {
    String hex =
        HexFormat.of().formatHex(text.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    return "%08x".formatted(text.length()) + hex + "00".repeat(-text.length() & 3);
  }

  private static String mapping(int program, int version, int protocol, int port) {
    return "%08x%08x%08x%08x".formatted(program, version, protocol, port);
  }

  @Test
  void version2TellsPorts() throws Exception {
    String found = "%08x".formatted(port);
    assertEquals(found, call(2, 3, mapping(100_003, 3, 6, 0)));
    assertEquals(found, call(2, 3, mapping(100_003, 4, 6, 0)), "another version, as a hint");
    assertEquals("00000000", call(2, 3, mapping(100_003, 3, 17, 0)), "not by UDP");
    assertEquals("00000000", call(2, 3, mapping(100_021, 4, 6, 0)));
    int own = gateway.portmap().getPort();
    StringBuilder all = new StringBuilder();
    for (int version = 2; version <= 4; version++) {
      all.append("00000001").append(mapping(100_000, version, 6, own));
    }
    all.append("00000001").append(mapping(100_003, 3, 6, port));
    all.append("00000001").append(mapping(100_005, 3, 6, port)).append("00000000");
    assertEquals("%08x".formatted(own), call(2, 3, mapping(100_000, 2, 6, 0)));
    assertEquals(all.toString(), call(2, 4, ""));
  }

  @Test
  void outsideHostsCannotRegister() throws Exception {
    assertEquals("00000000", call(2, 1, mapping(100_003, 3, 6, 1)));
    assertEquals("00000000", call(2, 2, mapping(100_003, 3, 6, 1)));
    String rpcb = mapping(100_003, 3, 0, 0).substring(0, 16) + text("tcp") + text("") + text("");
    assertEquals("00000000", call(3, 1, rpcb));
    assertEquals("00000000", call(4, 2, rpcb));
    assertEquals("%08x".formatted(port), call(2, 3, mapping(100_003, 3, 6, 0)));
  }

  @Test
  void versions3And4TellUniversalAddresses() throws Exception {
    String address = text("127.0.0.1." + port / 256 + "." + port % 256);
    for (int version : List.of(3, 4)) {
      String nfs = "000186a3" + "00000003" + text("tcp") + text("") + text("");
      assertEquals(address, call(version, 3, nfs));
      String udp = "000186a3" + "00000003" + text("udp") + text("") + text("");
      assertEquals(text(""), call(version, 3, udp));
    }
    String exactly = "000186a3" + "00000004" + text("tcp") + text("") + text("");
    assertEquals(address, call(4, 3, exactly));
    assertEquals(text(""), call(4, 9, exactly), "GETVERSADDR means that version");
  }

  @Test
  void aUniversalAddressEndsWithThePortsTwoBytes() throws Exception {
    InetAddress four = InetAddress.getByAddress(new byte[] {10, 1, 2, 3});
    assertEquals("10.1.2.3.8.1", Portmapper.universal(four, 2_049));
    InetAddress six = InetAddress.getByName("2001:db8::1");
    assertEquals("2001:db8:0:0:0:0:0:1.0.111", Portmapper.universal(six, 111));
  }
}
