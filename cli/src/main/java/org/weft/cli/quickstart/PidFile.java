package org.weft.cli.quickstart;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.weft.protocol.system.AtomicFile;

/**
 * {@code run/NAME.pid}: only the process id of a daemon, so that {@code kill $(cat FILE)} works. A
 * process that started later than the file was written only has the same number: then the file is
 * stale.
 */
public final class PidFile {
  private static final Duration CLOCK_STEP = Duration.ofSeconds(2);

  private final Path file;

  private PidFile(Path file) {
    this.file = file;
  }

  /** The pid file of a daemon in a quickstart's {@code run} directory. */
  public static PidFile of(Path runDirectory, String name) {
    return new PidFile(runDirectory.resolve(name + ".pid"));
  }

  public void write(long pid) throws IOException {
    Files.createDirectories(file.getParent());
    AtomicFile.write(file, (pid + "\n").getBytes(StandardCharsets.US_ASCII), "rw-r--r--");
  }

  Path path() {
    return file;
  }

  /** The live process that the file speaks of; none while a shell still writes the file. */
  public Optional<ProcessHandle> process() throws IOException {
    try {
      String text = Files.readString(file, StandardCharsets.US_ASCII).trim();
      if (text.isEmpty()) {
        return Optional.empty();
      }
      long pid = Long.parseLong(text);
      Instant written = Files.getLastModifiedTime(file).toInstant();
      return ProcessHandle.of(pid)
          .filter(ProcessHandle::isAlive)
          .filter(process -> !startedAfter(process, written));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (NumberFormatException e) {
      throw new IOException(file + " does not hold a process id; remove it", e);
    }
  }

  private static boolean startedAfter(ProcessHandle process, Instant written) {
    return process
        .info()
        .startInstant()
        .map(start -> start.isAfter(written.plus(CLOCK_STEP)))
        .orElse(false);
  }

  public void remove() throws IOException {
    Files.deleteIfExists(file);
  }
}
