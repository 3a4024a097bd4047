package org.weft.sysmgr.replication.ratis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.util.SizeInBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.sysmgr.StageResults;

class SnapshotStorageTest {
  private static final int ROUNDS = 300;

  @TempDir Path directory;

  @Test
  void aThreadThatLooksWhileTheFirstSnapshotIsTakenGoesOn() throws Exception {
    try (RaftStorage log =
        RaftStorage.newBuilder()
            .setDirectory(directory.resolve("log").toFile())
            .setOption(RaftStorage.StartupOption.FORMAT)
            .setStorageFreeSpaceMin(SizeInBytes.valueOf(0))
            .setLogCorruptionPolicy(RaftServerConfigKeys.Log.CorruptionPolicy.EXCEPTION)
            .build()) {
      log.initialize();
      SingleFileSnapshotInfo first =
          new SingleFileSnapshotInfo(
              new FileInfo(directory.resolve("snapshot"), null), TermIndex.valueOf(1, 1));
      for (int round = 0; round < ROUNDS; round++) {
        SnapshotStorage storage = new SnapshotStorage();
        storage.init(log);
        CyclicBarrier together = new CyclicBarrier(2);
        CompletableFuture<Void> looking =
            CompletableFuture.runAsync(
                () -> {
                  await(together);
                  var unused = storage.getLatestSnapshot();
                });
        await(together);
        storage.updateLatestSnapshot(first);
        StageResults.get(looking);
        assertEquals(first, storage.getLatestSnapshot());
      }
    }
  }

  private static void await(CyclicBarrier together) {
    try {
      together.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
