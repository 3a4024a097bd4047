package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.QuotaEffect;
import org.weft.metadata.quota.QuotaLedger;
import org.weft.metadata.quota.QuotaLimits;
import org.weft.metadata.quota.QuotaTree;
import org.weft.metadata.quota.QuotaUsage;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.OpenReply;

/** Quotas at their edges: removed directories, huge lengths, writers of before (P 6.6a). */
class QuotaEdgesTest {
  private TestVolume volume;
  private TestClient client;

  @BeforeEach
  void aVolume() throws RpcException {
    volume = TestVolume.formatted(12);
    client = volume.superuser();
  }

  private void limit(TestClient by, String path, long bytes) throws RpcException {
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
  void aFileWithAnotherNameIsWrittenOnAfterItsLimitedDirectoryIsGone() throws RpcException {
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
  void sparseFilesDoNotMakeUsageNegative() throws RpcException {
    RpcException refusal =
        assertThrows(
            RpcException.class,
            () -> {
              for (int file = 0; file < 8; file++) {
                client.write("/f" + file, 1L << 60);
              }
            });
    assertEquals(ErrorCode.QUOTA_EXCEEDED, refusal.code(), refusal.getMessage());
    assertTrue(refusal.getMessage().contains("sparse"), refusal.getMessage());
    assertEquals(QuotaLedger.MOST_BYTES, usage(volume, ObjectId.ROOT).bytes());
    limit(client, "/", 10_000);
    client.unlink("/f0");
    assertEquals(3L << 60, usage(volume.restarted(), ObjectId.ROOT).bytes());
  }

  @Test
  void aWriterOfBeforeTheQuotaGoesOnWhenAnotherOpensTheFile() throws RpcException {
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
}
