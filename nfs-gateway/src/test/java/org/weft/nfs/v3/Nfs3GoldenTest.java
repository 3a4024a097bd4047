package org.weft.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.oncrpc.RawConnection;

/** Calls and replies byte by byte, written out by hand from the structures of RFC 1813. */
class Nfs3GoldenTest {
  /** CALL, RPC 2, NFS 3. */
  private static final String HEAD = "00000042" + "00000000" + "00000002" + "000186a3" + "00000003";

  /** AUTH_SYS of user 0 on "c", no groups; verifier AUTH_NONE. */
  private static final String AUTH =
      "00000001"
          + "00000018"
          + "00000000"
          + "00000001"
          + "63000000"
          + "00000000"
          + "00000000"
          + "00000000"
          + "00000000"
          + "00000000";

  private static final String REPLY =
      "00000042" + "00000001" + "00000000" + "00000000" + "00000000" + "00000000";

  /** 2023-11-14 22:13:20 and some microseconds, which the model counts. */
  private static String time(int micros) {
    return "6553f100" + "%08x".formatted(micros * 1_000);
  }

  private final ModelFileService files = new ModelFileService();
  private final ModelGateway gateway = new ModelGateway(files, files.root());

  @AfterEach
  void stop() {
    gateway.close();
  }

  private String root() {
    return "00000030" + HexFormat.of().formatHex(gateway.handle(ModelGateway.OPEN, files.root()));
  }

  private String object(long object) {
    return "00000030"
        + HexFormat.of()
            .formatHex(gateway.handle(ModelGateway.OPEN, org.weft.client.ids.NodeId.of(7, object)));
  }

  private String call(int procedure, String arguments) throws Exception {
    try (RawConnection raw = new RawConnection(gateway.address())) {
      raw.send(HEAD + "%08x".formatted(procedure) + AUTH + arguments);
      String reply = raw.receive();
      assertEquals(REPLY, reply.substring(0, REPLY.length()));
      return reply.substring(REPLY.length());
    }
  }

  /** Directory, 0777, two links, 4096 bytes, no device, volume 7, object 1. */
  private static String rootAttributes(int links, int micros) {
    return "00000002"
        + "000001ff"
        + "%08x".formatted(links)
        + "00000000"
        + "00000000"
        + "0000000000001000"
        + "0000000000001000"
        + "00000000"
        + "00000000"
        + "0000000000000007"
        + "0000000000000001"
        + time(1)
        + time(micros)
        + time(micros);
  }

  private static String fileAttributes(int size, int mtime, int ctime) {
    return "00000001"
        + "000001a4"
        + "00000001"
        + "00000000"
        + "00000000"
        + "%016x".formatted(size)
        + "%016x".formatted(size)
        + "00000000"
        + "00000000"
        + "0000000000000007"
        + "0000000000010000"
        + time(2)
        + time(mtime)
        + time(ctime);
  }

  @Test
  void getAttr() throws Exception {
    assertEquals("00000000" + rootAttributes(2, 1), call(1, root()));
  }

  @Test
  void getAttrOfBytesThatAreNoHandle() throws Exception {
    assertEquals("00002711", call(1, "00000004" + "01020304"));
  }

  @Test
  void lookupOfAMissingNameTellsTheDirectory() throws Exception {
    // NFS3ERR_NOENT, post_op_attr of the directory.
    assertEquals(
        "00000002" + "00000001" + rootAttributes(2, 1), call(3, root() + "00000003" + "61626300"));
  }

  @Test
  void accessGrantsRootAllOfADirectoryButRunningIt() throws Exception {
    assertEquals(
        "00000000" + "00000001" + rootAttributes(2, 1) + "0000001f", call(4, root() + "0000003f"));
  }

  @Test
  void createWriteReadAndCommit() throws Exception {
    // UNCHECKED, mode 0644, nothing else set.
    String created =
        call(
            8,
            root()
                + "00000001"
                + "66000000"
                + "00000000"
                + "00000001"
                + "000001a4"
                + "00000000"
                + "00000000"
                + "00000000"
                + "00000000"
                + "00000000");
    String before = "0000000000001000" + time(1) + time(1);
    assertEquals(
        "00000000"
            + "00000001"
            + object(0x10000)
            + "00000001"
            + fileAttributes(0, 2, 3)
            + "00000001"
            + before
            + "00000001"
            + rootAttributes(2, 4),
        created);
    // Offset 0, count 5, UNSTABLE, "hello".
    String written =
        call(
            7,
            object(0x10000)
                + "0000000000000000"
                + "00000005"
                + "00000000"
                + "00000005"
                + "68656c6c6f000000");
    assertEquals(
        "00000000"
            + "00000001"
            + "0000000000000000"
            + time(2)
            + time(3)
            + "00000001"
            + fileAttributes(5, 5, 5)
            + "00000005"
            + "00000000"
            + "0000000000000001",
        written);
    // Offset 1, count 100: "ello" and the end.
    assertEquals(
        "00000000"
            + "00000001"
            + fileAttributes(5, 5, 5)
            + "00000004"
            + "00000001"
            + "00000004"
            + "656c6c6f",
        call(6, object(0x10000) + "0000000000000001" + "00000064"));
    assertEquals(
        "00000000"
            + "00000001"
            + "0000000000000005"
            + time(5)
            + time(5)
            + "00000001"
            + fileAttributes(5, 5, 5)
            + "0000000000000001",
        call(21, object(0x10000) + "0000000000000000" + "00000000"));
    // Cookie 0, verifier 0, 4096 bytes.
    assertEquals(
        "00000000"
            + "00000001"
            + rootAttributes(2, 4)
            + "0000000000000000"
            + "00000001"
            + "0000000000000001"
            + "00000001"
            + "2e000000"
            + "0000000000000001"
            + "00000001"
            + "0000000000000001"
            + "00000002"
            + "2e2e0000"
            + "0000000000000002"
            + "00000001"
            + "0000000000010000"
            + "00000001"
            + "66000000"
            + "0000000000000003"
            + "00000000"
            + "00000001",
        call(16, root() + "0000000000000000" + "0000000000000000" + "00001000"));
    // The same with attributes and handles.
    assertEquals(
        "00000000"
            + "00000001"
            + rootAttributes(2, 4)
            + "0000000000000000"
            + "00000001"
            + "0000000000000001"
            + "00000001"
            + "2e000000"
            + "0000000000000001"
            + "00000001"
            + rootAttributes(2, 4)
            + "00000001"
            + root()
            + "00000001"
            + "0000000000000001"
            + "00000002"
            + "2e2e0000"
            + "0000000000000002"
            + "00000000"
            + "00000000"
            + "00000001"
            + "0000000000010000"
            + "00000001"
            + "66000000"
            + "0000000000000003"
            + "00000001"
            + fileAttributes(5, 5, 5)
            + "00000001"
            + object(0x10000)
            + "00000000"
            + "00000001",
        call(17, root() + "0000000000000000" + "0000000000000000" + "00001000" + "00010000"));
    // REMOVE.
    assertEquals(
        "00000000"
            + "00000001"
            + "0000000000001000"
            + time(4)
            + time(4)
            + "00000001"
            + rootAttributes(2, 6),
        call(12, root() + "00000001" + "66000000"));
    // GETATTR of what is gone: NFS3ERR_STALE.
    assertEquals("00000046", call(1, object(0x10000)));
  }

  @Test
  void mkDirAndRenameTellBothDirectories() throws Exception {
    call(9, root() + "00000001" + "64000000" + "00000000".repeat(6));
    String made = rootAttributes(3, 3);
    String before = "0000000000001000" + time(3) + time(3);
    // NFS3ERR_NOENT, wcc_data of both.
    String same = "00000001" + before + "00000001" + made;
    assertEquals(
        "00000002" + same + same,
        call(14, root() + "00000001" + "78000000" + root() + "00000001" + "79000000"));
  }

  /** The client's connection broke before the reply came: it asks again on another one. */
  @Test
  void aRepeatOfWhatChangesNamesGetsTheFirstAnswer() throws Exception {
    String arguments = root() + "00000001" + "64000000" + "00000000".repeat(6);
    String made = call(9, arguments);
    assertEquals("00000000", made.substring(0, 8));
    assertEquals(made, call(9, arguments));
    String remove = root() + "00000001" + "64000000";
    String removed = call(13, remove);
    assertEquals("00000000", removed.substring(0, 8));
    assertEquals(removed, call(13, remove));
    assertEquals(2, gateway.transport().counters().repeats());
    assertEquals(2, gateway.transport().keptReplies());
    // NFS3ERR_NOENT: another procedure of the same number is another call.
    assertEquals("00000002", call(3, remove).substring(0, 8));
  }

  @Test
  void fsInfo() throws Exception {
    assertEquals(
        "00000000"
            + "00000001"
            + rootAttributes(2, 1)
            + "00100000"
            + "00100000"
            + "00001000"
            + "00100000"
            + "00100000"
            + "00010000"
            + "00010000"
            + "0000000040000000"
            + "00000000"
            + "00000001"
            + "0000001b",
        call(19, root()));
  }

  @Test
  void pathConf() throws Exception {
    assertEquals(
        "00000000"
            + "00000001"
            + rootAttributes(2, 1)
            + "000003e8"
            + "000000ff"
            + "00000001"
            + "00000001"
            + "00000000"
            + "00000001",
        call(20, root()));
  }

  @Test
  void version4IsAnsweredWithTheSupportedVersion() throws Exception {
    try (RawConnection raw = new RawConnection(gateway.address())) {
      raw.send("00000042" + "00000000" + "00000002" + "000186a3" + "00000004" + "00000000" + AUTH);
      assertEquals(
          "00000042"
              + "00000001"
              + "00000000"
              + "00000000"
              + "00000000"
              + "00000002"
              + "00000003"
              + "00000003",
          raw.receive());
    }
  }
}
