package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.QuotaEffect;
import org.weft.metadata.quota.QuotaLimits;
import org.weft.metadata.quota.QuotaTable;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.CreateReply;

/** How trees come, lie around each other, and go (P 6.6a). */
final class QuotaTreesTest {
  private TestVolume volume;
  private TestClient client;

  @BeforeEach
  void start() throws RpcException {
    volume = TestVolume.formatted(95_670_000);
    client = volume.superuser();
  }

  private void limit(String directory) throws RpcException {
    client.execute(
        new SetQuota(
            TestClient.path(directory), directory.substring(1), new QuotaLimits(1 << 20, 0, 0, 0)));
  }

  private List<String> trees(TestVolume of) {
    return of.machine().snapshot().stream()
        .filter(QuotaEffect.TreePut.class::isInstance)
        .map(effect -> ((QuotaEffect.TreePut) effect).tree().path())
        .toList();
  }

  /** So many directories with quotas in each other, the uppermost with this name. */
  private String nest(String name, int count) throws RpcException {
    String path = "";
    for (int depth = 0; depth < count; depth++) {
      path += "/" + (depth == 0 ? name : "d");
      client.mkdir(path);
      limit(path);
    }
    return path;
  }

  @Test
  void treeOfARemovedDirectoryGoesWithTheLastOpenFile() throws Exception {
    client.mkdir("/a");
    limit("/a");
    client.mkdir("/a/b");
    limit("/a/b");
    CreateReply open = client.create("/a/b/f");
    client.unlink("/a/b/f");
    client.rmdir("/a/b");
    client.rmdir("/a");
    assertEquals(List.of("", "a", "a/b"), trees(volume), "the file is counted");
    client.close(open, 0);
    for (int ticks = 0; ticks < 10; ticks++) {
      volume.tick();
    }
    assertEquals(List.of(""), trees(volume));
    assertEquals(List.of(""), trees(volume.restarted()));
  }

  @Test
  void quotasInEachOtherAreBoundedHoweverTheyCameThere() throws Exception {
    // The volume's own tree lies around all others.
    String deepest = nest("a", QuotaTable.MOST_NESTED - 1);
    client.mkdir(deepest + "/more");
    assertEquals(
        ErrorCode.INVALID_ARGUMENT,
        assertThrows(RpcException.class, () -> limit(deepest + "/more")).code());
    nest("b", 2);
    String last = deepest.substring(0, deepest.length() - 2);
    assertEquals(
        ErrorCode.UNSUPPORTED,
        assertThrows(RpcException.class, () -> client.rename("/b", last + "/b")).code());
    client.rename("/b/d", last + "/d2");
    client.mkdir("/above");
    client.rename("/a", "/above/a");
    assertEquals(
        ErrorCode.INVALID_ARGUMENT,
        assertThrows(RpcException.class, () -> limit("/above")).code(),
        "the others would lie within it");
    assertEquals(trees(volume), trees(volume.restarted()));
  }
}
