package org.weft.osd.store.rocksdb;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.weft.osd.harness.SmallDisk;

/** Begins a mark whose file is a hole, on a full disk. */
final class FullDiskMarkChild {
  private FullDiskMarkChild() {}

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    try (RandomAccessFile hole = new RandomAccessFile(LogMark.fileIn(folder).toFile(), "rw")) {
      hole.setLength(4096);
    }
    SmallDisk.leave(folder, 0);
    try {
      LogMark.begin(folder, LogMark.Reach.NOTHING).close();
      System.out.println("begun");
    } catch (IOException e) {
      System.out.println("refused: " + e.getMessage());
    }
    SmallDisk.leave(folder, 8192);
    LogMark.begin(folder, new LogMark.Reach(5, 3)).close();
    System.out.println(LogMark.read(folder).orElseThrow());
  }
}
