package org.weft.cli.transfer;

import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/**
 * A directory of this machine that is copied into. Other users may be able to rename directories on
 * the way to it, and to put links there. So it is opened once, and its entries are reached from
 * there and not by a path. Names in it are single names; no symbolic link is followed. Thread-safe.
 *
 * <p>Java makes directories and links by their paths alone. Another user may replace a directory on
 * the way at that moment. Then an empty directory or a link is made in the wrong place, and the
 * copy fails.
 */
final class LocalDirectory implements AutoCloseable {
  private static final String PREFIX = ".weft-";
  private static final SecureRandom RANDOM = new SecureRandom();

  private static final FileAttribute<?> OWNER_ALONE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path path;
  private final SecureDirectoryStream<Path> directory;
  private final boolean made;

  private LocalDirectory(Path path, SecureDirectoryStream<Path> directory, boolean made) {
    this.path = path;
    this.directory = directory;
    this.made = made;
  }

  /** One that the user named: links on the way to it lead on. */
  @SuppressWarnings("StreamResourceLeak") // It is closed with the directory.
  static LocalDirectory named(Path path) throws IOException {
    return new LocalDirectory(path, secure(path, Files.newDirectoryStream(path)), false);
  }

  /** Opens a named directory, or makes it for its owner alone. */
  @SuppressWarnings("StreamResourceLeak") // It is closed with the directory.
  static LocalDirectory namedOrMade(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      return named(path);
    }
    Files.createDirectory(path, OWNER_ALONE);
    return new LocalDirectory(path, secure(path, Files.newDirectoryStream(path)), true);
  }

  private static SecureDirectoryStream<Path> secure(Path path, DirectoryStream<Path> opened)
      throws IOException {
    if (opened instanceof SecureDirectoryStream<Path> secure) {
      return secure;
    }
    opened.close();
    throw new FileSystemException(
        path.toString(),
        null,
        "this platform reaches files by their paths only, which others may exchange meanwhile;"
            + " get files to standard output instead, by a target of -");
  }

  /** Opens a directory in it, or makes it for its owner alone. */
  LocalDirectory child(String name) throws IOException {
    Path below = place(name);
    Optional<BasicFileAttributes> there = find(name);
    if (there.isEmpty()) {
      Files.createDirectory(below, OWNER_ALONE);
    } else if (there.get().isSymbolicLink()) {
      throw new FileSystemException(
          below.toString(),
          null,
          "a symbolic link to a directory stands there, which is not followed; remove it");
    }
    return new LocalDirectory(
        below,
        secure(below, directory.newDirectoryStream(Path.of(name), LinkOption.NOFOLLOW_LINKS)),
        there.isEmpty());
  }

  /** Where a name is, for messages. */
  Path place(String name) throws IOException {
    if (name.indexOf('/') >= 0 || name.equals(".") || name.equals("..") || name.isEmpty()) {
      throw new FileSystemException(path.toString(), null, "no name for a file: '" + name + "'");
    }
    return path.resolve(name);
  }

  /** The entry by that name, which may be a link; empty if there is none. */
  Optional<BasicFileAttributes> find(String name) throws IOException {
    try {
      return Optional.of(basic(name).readAttributes());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private BasicFileAttributeView basic(String name) {
    return directory.getFileAttributeView(
        Path.of(name), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
  }

  /** A random name for an incomplete file. */
  String temporaryName() {
    byte[] bytes = new byte[8];
    RANDOM.nextBytes(bytes);
    return PREFIX + HexFormat.of().formatHex(bytes) + TemporaryName.SUFFIX;
  }

  /** Makes a new empty file by that name, for its owner alone. */
  SeekableByteChannel make(String name) throws IOException {
    return directory.newByteChannel(
        Path.of(name),
        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
  }

  /** Makes a symbolic link by that name, which was not there. */
  void makeLink(String name, Path text) throws IOException {
    Files.createSymbolicLink(place(name), text);
  }

  /** Gives a file its times and then its mode, which may keep its owner from opening it. */
  void setAttributes(String name, Optional<LocalModes.Times> times, int mode) throws IOException {
    if (times.isPresent()) {
      times.get().set(basic(name));
    }
    LocalModes.setMode(
        directory.getFileAttributeView(
            Path.of(name), PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS),
        mode);
  }

  /** True if it was made here, and did not stand there before. */
  boolean made() {
    return made;
  }

  /** Gives the directory itself its mode. */
  void setMode(int mode) throws IOException {
    LocalModes.setMode(directory.getFileAttributeView(PosixFileAttributeView.class), mode);
  }

  /** Gives the directory itself its mode and times. */
  void setAttributes(LocalModes.Times times, int mode) throws IOException {
    setMode(mode);
    times.set(directory.getFileAttributeView(BasicFileAttributeView.class));
  }

  /** Gives a file another name, in place of what stands there. */
  void rename(String name, String target) throws IOException {
    directory.move(Path.of(name), directory, Path.of(target));
  }

  /** Takes a file away, if it is there. */
  void deleteIfExists(String name) throws IOException {
    try {
      directory.deleteFile(Path.of(name));
    } catch (NoSuchFileException e) {
      // Another process has taken it away.
    }
  }

  @Override
  public void close() throws IOException {
    directory.close();
  }
}
