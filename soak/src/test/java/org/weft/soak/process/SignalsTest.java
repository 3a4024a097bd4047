package org.weft.soak.process;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.testkit.process.Await;
import org.weft.testkit.process.Signals;

class SignalsTest {
  private static final int FREEZES = 30;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Eight threads that say what time it is, over and over. */
  static final class Talker {
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    public static void main(String[] arguments) throws IOException {
      MappedByteBuffer said = map(Path.of(arguments[0]));
      for (int i = 0; i < 8; i++) {
        new Thread(
                () -> {
                  while (true) {
                    said.putLong(0, System.nanoTime());
                    LockSupport.parkNanos(PAUSE_NANOS);
                  }
                })
            .start();
      }
    }
  }

  private static MappedByteBuffer map(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
    }
  }

  @Test
  void frozenProcessPrintsNothingMore(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("said");
    MappedByteBuffer said = map(file);
    List<Process> busy = new ArrayList<>();
    try (WeftProcess talker = WeftProcess.startMainBehindOthers(Talker.class, file.toString())) {
      for (int i = 0; i < 4; i++) {
        busy.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
      }
      Await.until(
          60,
          () -> "the other process speaks; it said " + talker.output(),
          () -> said.getLong(0) != 0);
      for (int i = 0; i < FREEZES; i++) {
        Signals.freeze(talker.handle());
        long frozenNanos = System.nanoTime();
        while (System.nanoTime() - frozenNanos < LOOK_NANOS) {
          assertTrue(said.getLong(0) - frozenNanos < 0, "it was frozen and went on");
        }
        Signals.thaw(talker.handle());
        long thawedNanos = System.nanoTime();
        Await.until(60, () -> "it goes on", () -> said.getLong(0) - thawedNanos > 0);
      }
    } finally {
      busy.forEach(Process::destroyForcibly);
    }
  }
}
