package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.QuotaEffect;
import org.weft.metadata.quota.QuotaLedger;
import org.weft.metadata.quota.QuotaLimits;
import org.weft.metadata.quota.QuotaTable;
import org.weft.metadata.quota.QuotaTree;
import org.weft.metadata.quota.QuotaUsage;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.operation.quota.ListQuotas;
import org.weft.metadata.volume.operation.quota.SetQuota;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.ListQuotasReply;
import org.weft.protocol.wire.OpenReply;

/** How trees come, lie around each other, count, and go (P 6.6a). */
final class QuotaTreesTest {
  private TestVolume volume;
  private TestClient client;

  @BeforeEach
  void aVolume() throws WeftException {
    volume = TestVolume.formatted(12);
    client = volume.superuser();
  }

  private void limit(TestClient by, String path, long bytes) throws WeftException {
    by.execute(
        new SetQuota(TestClient.path(path), path.substring(1), new QuotaLimits(bytes, 0, 0, 0)));
  }

  private static Optional<QuotaTree> tree(TestVolume of, ObjectId directory) {
    for (LiveEffect effect : of.machine().snapshot()) {
      if (effect instanceof QuotaEffect.TreePut put && put.tree().directory().equals(directory)) {
        return Optional.of(put.tree());
      }
    }
    return Optional.empty();
  }

  private static QuotaUsage usage(TestVolume of, ObjectId directory) {
    for (LiveEffect effect : of.machine().snapshot()) {
      if (effect instanceof QuotaEffect.TreeUsed used && used.tree().equals(directory)) {
        return used.usage();
      }
    }
    return QuotaUsage.NOTHING;
  }

  @Test
  void fileWithASecondNameIsWrittenAfterItsLimitedDirectoryGoes() throws WeftException {
    ObjectId directory = new ObjectId(client.mkdir("/d").getObjectId());
    limit(client, "/d", 5_000);
    client.write("/d/f", 4_000);
    client.link("/d/f", "/f");
    client.unlink("/d/f");
    client.rmdir("/d");
    OpenReply opened = client.update("/f");
    assertFalse(opened.getGrant().hasLengthLimit());
    client.close(Held.of(opened), 9_000, 1);
    assertEquals(9_000, client.attributes("/f").getSize());
    assertEquals(9_000, usage(volume.restarted(), directory).bytes());

    client.unlink("/f");
    assertTrue(tree(volume, directory).isEmpty());
    assertTrue(tree(volume.restarted(), directory).isEmpty());
  }

  @Test
  void sparseFilesDoNotMakeUsageNegative() throws WeftException {
    WeftException refusal =
        assertThrows(
            WeftException.class,
            () -> {
              for (int file = 0; file < 8; file++) {
                client.write("/f" + file, 1L << 60);
              }
            });
    assertEquals(ErrorCode.QUOTA_EXCEEDED, refusal.code(), refusal.getMessage());
    assertTrue(refusal.getMessage().contains("sparse"), refusal.getMessage());
    assertEquals(QuotaLedger.MAX_BYTES, usage(volume, ObjectId.ROOT).bytes());
    limit(client, "/", 10_000);
    client.unlink("/f0");
    assertEquals(3L << 60, usage(volume.restarted(), ObjectId.ROOT).bytes());
  }

  @Test
  void writerFromBeforeTheQuotaContinuesBesideANewOpening() throws WeftException {
    client.mkdir("/d");
    client.write("/d/f", 100);
    OpenReply before = client.share("/d/f");
    limit(client, "/d", 50_000);
    volume.tick();
    volume.tick();
    volume.tick();
    TestClient other = volume.superuser();
    OpenReply after = other.share("/d/f");
    assertFalse(after.getGrant().hasLengthLimit());
    client.publish(Held.of(before), 90_000);
    client.close(Held.of(before), 90_000, 1);
    other.close(Held.of(after), 90_000, 1);
    assertEquals(90_000, client.attributes("/d/f").getSize());
    assertTrue(client.update("/d/f").getGrant().hasLengthLimit());
  }

  private List<String> trees(TestVolume of) {
    return of.machine().snapshot().stream()
        .filter(QuotaEffect.TreePut.class::isInstance)
        .map(effect -> ((QuotaEffect.TreePut) effect).tree().path())
        .toList();
  }

  /** So many directories with quotas in each other, the uppermost with this name. */
  private String nest(String name, int count) throws WeftException {
    String path = "";
    for (int depth = 0; depth < count; depth++) {
      path += "/" + (depth == 0 ? name : "d");
      client.mkdir(path);
      limit(client, path, 1 << 20);
    }
    return path;
  }

  @Test
  void treeOfARemovedDirectoryGoesWithTheLastOpenFile() throws Exception {
    client.mkdir("/a");
    limit(client, "/a", 1 << 20);
    client.mkdir("/a/b");
    limit(client, "/a/b", 1 << 20);
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
  void removedDirectorysTreeGoesWithItsLastFile() throws Exception {
    client.mkdir("/d");
    limit(client, "/d", 1 << 20);
    client.write("/d/f", 1_000);
    client.link("/d/f", "/f");
    client.unlink("/d/f");
    client.rmdir("/d");
    assertEquals(List.of("", "d"), trees(volume), "the file is counted");
    client.rename("/f", "/g");
    assertEquals(List.of(""), trees(volume));
    assertEquals(List.of(""), trees(volume.restarted()));
  }

  @Test
  void nestedQuotasAreBoundedAlsoAfterARename() throws Exception {
    // The volume's own tree lies around all others.
    String deepest = nest("a", QuotaTable.MAX_NESTED - 1);
    client.mkdir(deepest + "/more");
    assertEquals(
        ErrorCode.INVALID_ARGUMENT,
        assertThrows(WeftException.class, () -> limit(client, deepest + "/more", 1 << 20)).code());
    nest("b", 2);
    String last = deepest.substring(0, deepest.length() - 2);
    assertEquals(
        ErrorCode.UNSUPPORTED,
        assertThrows(WeftException.class, () -> client.rename("/b", last + "/b")).code());
    client.rename("/b/d", last + "/d2");
    client.mkdir("/above");
    client.rename("/a", "/above/a");
    assertEquals(
        ErrorCode.INVALID_ARGUMENT,
        assertThrows(WeftException.class, () -> limit(client, "/above", 1 << 20)).code(),
        "the others would lie within it");
    assertEquals(trees(volume), trees(volume.restarted()));
  }

  @Test
  void limitsAreNotInForceBeforeTheTreesWithinAreCounted() throws Exception {
    client.mkdir("/a");
    client.mkdir("/a/b");
    for (int file = 0; file < 700; file++) {
      client.create("/a/b/" + file);
    }
    ObjectId outer = new ObjectId(client.attributes("/a").getObjectId());
    ObjectId inner = new ObjectId(client.attributes("/a/b").getObjectId());
    limit(client, "/a/b", 1 << 20);
    limit(client, "/a", 1 << 20);
    for (int ticks = 0; ticks < 20; ticks++) {
      volume.tick();
      assertTrue(
          !tree(volume, outer).orElseThrow().counted()
              || tree(volume, inner).orElseThrow().counted(),
          "after " + ticks + " ticks");
    }
    assertTrue(tree(volume, outer).orElseThrow().counted());
    assertEquals(702, usage(volume, outer).files());
  }

  @Test
  void quotasAreListedInPages() throws Exception {
    for (int directory = 0; directory < 250; directory++) {
      client.mkdir("/" + directory);
      limit(client, "/" + directory, 1 << 20);
    }
    client.rmdir("/7");
    List<String> paths = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    long after = 0;
    do {
      ListQuotasReply page = listed(new ListQuotas(Optional.empty(), new ObjectId(after), 1_000));
      page.getQuotaList().forEach(quota -> paths.add(quota.getPath()));
      sizes.add(page.getQuotaCount());
      after = page.getNext();
    } while (after != 0);
    assertEquals(List.of(100, 100, 49), sizes);
    assertEquals(249, new HashSet<>(paths).size());
    ListQuotasReply all = listed(new ListQuotas(Optional.empty(), new ObjectId(0), 0));
    assertEquals(249, all.getQuotaCount(), "clients of before ask for all at once");
    assertEquals(0, all.getNext());
  }

  private ListQuotasReply listed(ListQuotas list) throws Exception {
    return (ListQuotasReply) client.execute(list).reply();
  }
}
