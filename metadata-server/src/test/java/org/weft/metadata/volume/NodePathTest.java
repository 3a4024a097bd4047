package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.NodeRef;

/** Names: 1 to 255 bytes of UTF-8 without NUL and '/', neither "." nor "..". */
class NodePathTest {
  @Test
  void thePathIsCutAtSlashes() throws RpcException {
    NodePath path = read("a/Ünï/c d");
    assertEquals(List.of("a", "Ünï", "c d"), path.names());
    assertEquals(ObjectId.ROOT, path.base());
    assertEquals("/a/Ünï/c d", path.toString());
    assertEquals("/a", path.parent().parent().toString());
  }

  @Test
  void theEmptyPathIsTheBase() throws RpcException {
    assertTrue(read("").isBase());
    NodePath below =
        NodePath.fromMessage(NodeRef.newBuilder().setBaseObjectId(70_000).setPath("x").build());
    assertEquals("object 70000/x", below.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a", "a/", "a//b", ".", "a/../b", "a/./b", "x\0y", "/"})
  void badPathsAreRefused(String path) {
    assertInvalid(path);
  }

  @Test
  void lengthIsCountedInBytes() throws RpcException {
    read("x".repeat(255));
    assertInvalid("x".repeat(256));
    read("ü".repeat(127));
    assertInvalid("ü".repeat(128));
    assertInvalid("\ud800");
  }

  @Test
  void depthAndLengthOfAPathAreBounded() throws RpcException {
    read("a/".repeat(NodePath.MAX_DEPTH - 1) + "a");
    assertInvalid("a/".repeat(NodePath.MAX_DEPTH) + "a");
    assertInvalid(("x".repeat(200) + "/").repeat(400) + "x");
  }

  private static NodePath read(String path) throws RpcException {
    return NodePath.fromMessage(NodeRef.newBuilder().setPath(path).build());
  }

  private static void assertInvalid(String path) {
    assertEquals(ErrorCode.NAME_INVALID, assertThrows(RpcException.class, () -> read(path)).code());
  }
}
