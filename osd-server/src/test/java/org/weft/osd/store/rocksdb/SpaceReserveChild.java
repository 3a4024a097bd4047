package org.weft.osd.store.rocksdb;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.weft.osd.harness.SmallDisk;
import org.weft.osd.store.OutOfSpaceException;
import org.weft.protocol.seam.KeyValueStore;

/** Writes ordinary and urgent batches to tables on a disk that others fill and empty. */
final class SpaceReserveChild {
  private static final long MEBIBYTE = 1L << 20;

  /** The disk is looked at for every 64th write. */
  private static final int WRITES = 65;

  private SpaceReserveChild() {}

  public static void main(String[] arguments) throws Exception {
    Path disk = Path.of(arguments[0]);
    Path reserve = disk.resolve("tables").resolve("space-reserve");
    try (RocksKeyValueStore tables = RocksKeyValueStore.open(disk.resolve("tables"))) {
      System.out.println("ordinary " + write(tables, false) + ", held " + Files.exists(reserve));
      SmallDisk.leave(disk, 16 * MEBIBYTE);
      System.out.println("ordinary " + write(tables, false) + ", takes all " + tables.takesAll());
      System.out.println("urgent " + write(tables, true) + ", held " + Files.exists(reserve));
      System.out.println("ordinary " + write(tables, false));
      SmallDisk.leave(disk, 4 * MEBIBYTE);
      System.out.println("urgent " + write(tables, true));
      SmallDisk.leave(disk, 150 * MEBIBYTE);
      String later = write(tables, false);
      System.out.println("ordinary " + later + ", held before a sync " + Files.exists(reserve));
      tables.sync();
      System.out.println("ordinary " + write(tables, false) + ", held " + Files.exists(reserve));
    }
  }

  private static String write(RocksKeyValueStore tables, boolean urgent) throws IOException {
    byte[] bytes = "key".getBytes(StandardCharsets.UTF_8);
    try {
      for (int i = 0; i < WRITES; i++) {
        KeyValueStore.Batch batch = new KeyValueStore.Batch().put(bytes, bytes);
        tables.write(urgent ? batch.urgent() : batch, false);
      }
      return "taken";
    } catch (OutOfSpaceException e) {
      return e.isReserveUsedUp() ? "refused, the reserve is used up" : "refused";
    }
  }
}
