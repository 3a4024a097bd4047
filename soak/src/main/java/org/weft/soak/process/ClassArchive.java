package org.weft.soak.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * An archive of the classes of daemons and commands. JVMs map it into memory instead of loading the
 * classes, so each start costs about half a second less CPU. {@code weft prepare} makes it, once
 * for each set of jars. JVMs that run tests beside each other wait for the one that makes it.
 *
 * <p>Only jars can be archived. Where a module is a directory of classes, as under {@code mvn
 * test}, there is none, and everything works as without it.
 */
final class ClassArchive {
  /** The file that is to hold the archive; without it there is none. */
  private static final String FILE = "weft.test.archive";

  private static final long MAX_MINUTES = 5;

  private final Path file;
  private final List<Path> jars;

  private ClassArchive(Path file, List<Path> jars) {
    this.file = file;
    this.jars = jars;
  }

  /**
   * The class path of daemons and the options that let a JVM use an archive of it.
   *
   * @param options none if there is no archive
   */
  record Prepared(String classPath, List<String> options) {}

  /**
   * Prepares a class path; makes the archive if it is missing or older than a jar.
   *
   * @param java the command of the JVM that will use it
   */
  static Prepared of(String java, String classPath) throws IOException {
    Prepared unprepared = new Prepared(classPath, List.of());
    String file = System.getProperty(FILE);
    if (file == null) {
      return unprepared;
    }
    Optional<List<Path>> jars = jars(classPath);
    if (jars.isEmpty()) {
      return unprepared;
    }
    ClassArchive archive = new ClassArchive(Path.of(file), jars.get());
    return archive.isThere(java)
        ? new Prepared(
            archive.classPath(),
            List.of("-XX:SharedArchiveFile=" + file, "-Xlog:disable", "-Xlog:all=error:stderr"))
        : unprepared;
  }

  /** Empty if a directory is among them, besides those of the module whose tests run. */
  private static Optional<List<Path>> jars(String classPath) {
    Path own = Path.of("target").toAbsolutePath();
    List<Path> jars = new ArrayList<>();
    for (String each : classPath.split(File.pathSeparator, -1)) {
      if (each.isEmpty()) {
        // Surefire's class path ends with a separator.
        continue;
      }
      Path entry = Path.of(each);
      if (Files.isDirectory(entry) && !entry.startsWith(own)) {
        return Optional.empty();
      }
      if (Files.isRegularFile(entry)) {
        jars.add(entry);
      }
    }
    return Optional.of(jars);
  }

  private String classPath() {
    return String.join(File.pathSeparator, jars.stream().map(Path::toString).toList());
  }

  private boolean isThere(String java) throws IOException {
    Path lock = file.resolveSibling(file.getFileName() + ".lock");
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = channel.lock()) {
      if (!held.isValid()) {
        throw new IOException(lock + " is not locked");
      }
      if (isOld()) {
        make(java);
      }
      return !isOld();
    }
  }

  private boolean isOld() throws IOException {
    if (!Files.exists(file)) {
      return true;
    }
    long made = millis(file);
    return jars.stream().anyMatch(jar -> millis(jar) > made);
  }

  private static long millis(Path file) {
    try {
      return Files.getLastModifiedTime(file).toMillis();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void make(String java) throws IOException {
    Path made = file.resolveSibling(file.getFileName() + ".new");
    List<String> command =
        List.of(
            java,
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:ArchiveClassesAtExit=" + made,
            "-cp",
            classPath(),
            "org.weft.cli.WeftCommand",
            "prepare");
    File said = file.resolveSibling(file.getFileName() + ".log").toFile();
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(Redirect.to(said))
            .start();
    try {
      boolean ended = process.waitFor(MAX_MINUTES, TimeUnit.MINUTES);
      if (!ended || process.exitValue() != 0) {
        throw new IOException("`weft prepare` has failed; " + said + " says why");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while `weft prepare` ran", e);
    } finally {
      process.destroyForcibly();
    }
    // A JVM without an archive of its own classes makes none, and says so.
    if (Files.exists(made)) {
      Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    }
  }
}
