package org.weft.metadata.volume.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.capability.FileHandle;
import org.weft.protocol.capability.HandleKey;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.NodeRef;

/** Names: 1 to 255 bytes of UTF-8 without NUL and '/', neither "." nor "..". */
class NodePathTest {
  private static final FileHandle HANDLE =
      HandleKey.draw(new SplittableRandom(1)).handle(new PartitionId(1), new ObjectId(70_000));

  @Test
  void thePathIsCutAtSlashes() throws WeftException {
    NodePath path = read("a/Ünï/c d");
    assertEquals(List.of("a", "Ünï", "c d"), path.names());
    assertEquals(ObjectId.ROOT, path.base());
    assertEquals("/a/Ünï/c d", path.toString());
    assertEquals("/a", path.parent().parent().toString());
  }

  @Test
  void theEmptyPathIsTheBase() throws WeftException {
    assertTrue(read("").isBase());
    assertEquals(ObjectId.ROOT, read("").base());
  }

  @Test
  void aHandleIsTheBaseOfAPath() throws WeftException {
    NodePath below = NodePath.fromMessage(ref(70_000, HANDLE.encode(), "x"));
    assertEquals("object 70000/x", below.toString());
    assertEquals(HANDLE, below.handle().orElseThrow());
    assertEquals(below, NodePath.fromMessage(ref(0, HANDLE.encode(), "x")));
  }

  @Test
  void aNumberIsNoBase() throws WeftException {
    WeftException refusal =
        assertThrows(
            WeftException.class, () -> NodePath.fromMessage(ref(70_000, ByteString.EMPTY, "x")));
    assertEquals(ErrorCode.PERMISSION_DENIED, refusal.code());
    assertTrue(refusal.getMessage().contains("number"), refusal.getMessage());
    assertEquals(read("x"), NodePath.fromMessage(ref(1, ByteString.EMPTY, "x")));
  }

  @Test
  void bytesThatCanBeNoHandleAreRefused() {
    ByteString encoded = HANDLE.encode();
    ByteString newer = ByteString.copyFrom(new byte[] {2}).concat(encoded.substring(1));
    for (ByteString bytes :
        List.of(encoded.substring(1), encoded.concat(ByteString.copyFrom(new byte[1])), newer)) {
      assertHandleInvalid(ref(0, bytes, "x"));
    }
    assertHandleInvalid(ref(70_001, encoded, "x"));
  }

  private static void assertHandleInvalid(NodeRef ref) {
    WeftException refusal = assertThrows(WeftException.class, () -> NodePath.fromMessage(ref));
    assertEquals(ErrorCode.HANDLE_INVALID, refusal.code());
  }

  private static NodeRef ref(long base, ByteString handle, String path) {
    return NodeRef.newBuilder().setBaseObjectId(base).setBaseHandle(handle).setPath(path).build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a", "a/", "a//b", ".", "a/../b", "a/./b", "x\0y", "/"})
  void badPathsAreRefused(String path) {
    assertInvalid(path);
  }

  @Test
  void lengthIsCountedInBytes() throws WeftException {
    read("x".repeat(255));
    assertInvalid("x".repeat(256));
    read("ü".repeat(127));
    assertInvalid("ü".repeat(128));
    assertInvalid("\ud800");
  }

  @Test
  void depthAndLengthOfAPathAreBounded() throws WeftException {
    read("a/".repeat(NodePath.MAX_DEPTH - 1) + "a");
    assertInvalid("a/".repeat(NodePath.MAX_DEPTH) + "a");
    assertInvalid(("x".repeat(200) + "/").repeat(400) + "x");
  }

  private static NodePath read(String path) throws WeftException {
    return NodePath.fromMessage(NodeRef.newBuilder().setPath(path).build());
  }

  private static void assertInvalid(String path) {
    assertEquals(
        ErrorCode.NAME_INVALID, assertThrows(WeftException.class, () -> read(path)).code());
  }

  @Test
  void aLongPathLosesItsMiddleInMessages() {
    List<String> names = new ArrayList<>(List.of("first"));
    names.addAll(Collections.nCopies(200, "d".repeat(250)));
    names.add("last");
    String shown = new NodePath(names).toString();
    assertTrue(shown.length() <= 1_000, shown);
    assertTrue(shown.startsWith("/first/") && shown.endsWith("/last"), shown);
  }
}
