package org.weft.protocol.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** A directory has one user at a time, in all processes together. */
class DirectoryLockTest {
  private static final DirectoryLock.Use USE =
      new DirectoryLock.Use("lock", "is in use by another baker", "stop that one first");
  private static final String LOCKED = "locked";

  @TempDir Path directory;

  /** Another process: locks the directory, says so or why not, and ends when its input does. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) throws IOException {
      try (DirectoryLock unused = DirectoryLock.take(Path.of(arguments[0]), USE)) {
        System.out.println(LOCKED);
        while (System.in.read() >= 0) {
          // Until the test wants it to end.
        }
      } catch (WeftException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  private Process holder() throws IOException {
    return new ProcessBuilder(
            ProcessHandle.current().info().command().orElseThrow(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Holder.class.getName(),
            directory.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static String firstLine(Process process) throws IOException {
    BufferedReader lines = process.inputReader();
    return lines.readLine();
  }

  private WeftException refusal() {
    return assertThrows(WeftException.class, () -> DirectoryLock.take(directory, USE).close());
  }

  @Test
  void theRefusalNamesDirectoryHolderAndRemedy() throws Exception {
    Process other = holder();
    try {
      assertEquals(LOCKED, firstLine(other));
      WeftException refused = refusal();
      assertEquals(ErrorCode.UNAVAILABLE, refused.code());
      // File systems whose inodes the kernel lists by another name do not tell the process.
      String process = " (process " + other.pid() + ")";
      assertEquals(
          directory + " is in use by another baker; stop that one first",
          refused.getMessage().replace(process, ""));
    } finally {
      other.destroyForcibly();
    }
    other.waitFor();
    // The kernel has freed it, however the process ended.
    DirectoryLock.take(directory, USE).close();
  }

  @Test
  void aSecondUserInThisProcessIsRefusedToo() throws IOException {
    DirectoryLock first = DirectoryLock.take(directory, USE);
    long own = ProcessHandle.current().pid();
    assertEquals(
        directory + " is in use by another baker (this process, " + own + "); stop that one first",
        refusal().getMessage());
    first.close();
    first.close();
    DirectoryLock.take(directory, USE).close();
  }

  @Test
  void aRefusalInThisProcessDoesNotLetAnotherProcessIn() throws Exception {
    try (DirectoryLock unused = DirectoryLock.take(directory, USE)) {
      refusal();
      Process other = holder();
      try {
        String said = firstLine(other);
        assertTrue(said.contains(directory + " is in use by another baker"), said);
      } finally {
        other.destroyForcibly();
      }
      other.waitFor();
    }
  }

  @Test
  void theSameDirectoryByAnotherPathIsLockedToo(@TempDir Path elsewhere) throws IOException {
    Path link = Files.createSymbolicLink(elsewhere.resolve("link"), directory);
    try (DirectoryLock unused = DirectoryLock.take(directory, USE)) {
      WeftException refused =
          assertThrows(WeftException.class, () -> DirectoryLock.take(link, USE).close());
      assertTrue(refused.getMessage().startsWith(link.toString()), refused.getMessage());
    } finally {
      Files.delete(link);
    }
  }

  @Test
  void takeExistingLeavesAnUnlockedDirectoryUnchanged() throws IOException {
    assertThrows(NoSuchFileException.class, () -> DirectoryLock.takeExisting(directory, USE));
    assertFalse(Files.exists(directory.resolve(USE.fileName())));
    DirectoryLock.take(directory, USE).close();
    try (DirectoryLock unused = DirectoryLock.takeExisting(directory, USE)) {
      assertEquals(0, Files.size(directory.resolve(USE.fileName())));
      assertEquals(ErrorCode.UNAVAILABLE, refusal().code());
    }
  }

  @Test
  void aDirectoryThatIsNotThereIsNotMade() {
    Path missing = directory.resolve("missing");
    assertThrows(NoSuchFileException.class, () -> DirectoryLock.take(missing, USE));
    assertFalse(Files.exists(missing));
  }
}
