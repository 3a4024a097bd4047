package org.weft.protocol.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Keeps a directory to one user: a file in it is locked from {@link #take} to {@link #close}, and
 * the lock ends with the process. The file stays empty, so that a directory can be locked without
 * being changed. Thread-safe.
 *
 * <p>The kernel takes a lock from a process that closes any descriptor of the locked file. So a
 * second user in this process must be refused before it opens the file. This process keeps a list
 * of the files that it has locked.
 */
public final class DirectoryLock implements AutoCloseable {
  private static final Path LOCKS_OF_KERNEL = Path.of("/proc/locks");

  // By identity of the file, for a path may lead through links. Of the process as a whole, as the
  // kernel's locks are; guarded by its own monitor. A lock that was dropped without an end stays: a
  // collected descriptor would take the kernel's lock from the next user as it is closed.
  private static final Map<Object, FileChannel> HELD_HERE = new HashMap<>();

  /**
   * What a directory is locked for, and what is said if it is in use.
   *
   * @param fileName of the file that is locked
   * @param refusal what is said of the directory: "is in use by another manager"
   * @param remedy what to do: "stop that one first"
   */
  public record Use(String fileName, String refusal, String remedy) {
    private WeftException refused(Path directory, OptionalLong process) {
      String holder = process.isPresent() ? " (process " + process.getAsLong() + ")" : "";
      return refused(directory, holder);
    }

    private WeftException refusedHere(Path directory) {
      return refused(directory, " (this process, " + ProcessHandle.current().pid() + ")");
    }

    private WeftException refused(Path directory, String holder) {
      return new WeftException(
          ErrorCode.UNAVAILABLE, directory + " " + refusal + holder + "; " + remedy);
    }
  }

  private final Object key;
  private final FileChannel channel;

  private DirectoryLock(Object key, FileChannel channel) {
    this.key = key;
    this.channel = channel;
  }

  /**
   * Locks a directory, and makes the file in it if need be. Never waits.
   *
   * @throws WeftException UNAVAILABLE: it is in use, in this process or another; names the
   *     directory, the holder's process if the system tells it, and what to do
   * @throws NoSuchFileException if there is no such directory
   */
  public static DirectoryLock take(Path directory, Use use) throws IOException {
    synchronized (HELD_HERE) {
      Path file = directory.resolve(use.fileName());
      if (!Files.exists(file)) {
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE).close();
      }
      return takeExisting(directory, use);
    }
  }

  /**
   * As {@link #take}, but makes nothing.
   *
   * @throws NoSuchFileException if the directory or the file is not there: it was never locked
   */
  public static DirectoryLock takeExisting(Path directory, Use use) throws IOException {
    Path file = directory.resolve(use.fileName());
    synchronized (HELD_HERE) {
      Object key = key(file);
      if (HELD_HERE.containsKey(key)) {
        throw use.refusedHere(directory);
      }
      FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
      boolean locked = false;
      try {
        locked = channel.tryLock() != null;
      } catch (OverlappingFileLockException e) {
        // Taken by this class of another class loader.
        throw use.refusedHere(directory);
      } finally {
        if (!locked) {
          channel.close();
        }
      }
      if (!locked) {
        throw use.refused(directory, holder(file));
      }
      HELD_HERE.put(key, channel);
      return new DirectoryLock(key, channel);
    }
  }

  private static Object key(Path file) throws IOException {
    Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    return key == null ? file.toRealPath() : key;
  }

  /**
   * The process that has locked the file. Empty if that is not known: the system has no list of
   * locks, the holder is gone by now, or it is in another container.
   */
  private static OptionalLong holder(Path file) {
    if (!Files.exists(LOCKS_OF_KERNEL)
        || !file.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      return OptionalLong.empty();
    }
    try (Stream<String> locks = Files.lines(LOCKS_OF_KERNEL)) {
      String wanted = kernelName(file);
      return locks
          .map(line -> line.trim().split("\\s+"))
          .filter(words -> words.length > 5 && words[5].equals(wanted))
          .mapToLong(words -> Long.parseLong(words[4]))
          .filter(process -> process > 0)
          .findFirst();
    } catch (IOException | UncheckedIOException | NumberFormatException e) {
      // It only helps to find the holder; the refusal stands without it.
      return OptionalLong.empty();
    }
  }

  /** As a line of the list has it: "fe:00:9977923", device in hexadecimal digits and inode. */
  private static String kernelName(Path file) throws IOException {
    long device = ((Number) Files.getAttribute(file, "unix:dev")).longValue();
    long inode = ((Number) Files.getAttribute(file, "unix:ino")).longValue();
    long major = device >>> 8 & 0xfff | device >>> 32 & 0xfffff000L;
    long minor = device & 0xff | device >>> 12 & 0xffffff00L;
    return String.format("%02x:%02x:%d", major, minor, inode);
  }

  /** Lets another use the directory. May be called again. */
  @Override
  public void close() throws IOException {
    synchronized (HELD_HERE) {
      if (channel.isOpen()) {
        HELD_HERE.remove(key);
        channel.close();
      }
    }
  }
}
