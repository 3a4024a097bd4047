package org.weft.cli.fs;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import org.weft.cli.output.Progress;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;

/**
 * Copies single files in and out. Under its own name a file appears only when it is whole: it is
 * written under a temporary one, which is taken away when that fails or the command is interrupted.
 */
final class Copying {
  static final int BUFFER_BYTES = 1 << 20;

  private final RemoteFiles files;
  private final Progress progress;
  private final Cleanup cleanup;
  private final boolean noClobber;

  /**
   * @param noClobber fail where a file stands at the target already
   */
  Copying(RemoteFiles files, Progress progress, Cleanup cleanup, boolean noClobber) {
    this.files = files;
    this.progress = progress;
    this.cleanup = cleanup;
    this.noClobber = noClobber;
  }

  /** Copies a stream, which stays open, to a file of the cluster. */
  void in(InputStream source, WeftPath target, int mode) throws IOException {
    WeftPath temporary = target.parent().orElseThrow().child(TemporaryName.of(target.name()));
    RemoteFiles.Output output = files.create(temporary, mode);
    long number = cleanup.add(() -> discard(output, temporary, new IOException("interrupted")));
    try {
      pump(source, output);
      output.close();
      files.rename(temporary, target, !noClobber);
    } catch (IOException | RuntimeException e) {
      if (cleanup.ended()) {
        throw interrupted(target.toString(), e);
      }
      discard(output, temporary, e);
      throw e;
    } finally {
      cleanup.remove(number);
    }
    progress.addItem();
  }

  private static IOException interrupted(String target, Exception reason) {
    InterruptedIOException interrupted =
        new InterruptedIOException(target + ": interrupted; nothing was copied");
    interrupted.initCause(reason);
    return interrupted;
  }

  private void discard(RemoteFiles.Output output, WeftPath temporary, Exception reason) {
    try {
      output.abort();
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
    try {
      files.unlink(temporary);
    } catch (IOException e) {
      // The next put of the same file writes over it.
      reason.addSuppressed(e);
    }
  }

  /** Copies a file of the cluster to one of this machine. */
  void out(FileStatus source, Path target) throws IOException {
    Path directory = target.toAbsolutePath().getParent();
    Path temporary = directory.resolve(TemporaryName.of(target.getFileName().toString()));
    long number = cleanup.add(() -> discard(temporary, new IOException("interrupted")));
    try {
      try (InputStream input = files.open(source.path());
          OutputStream output = Files.newOutputStream(temporary)) {
        pump(input, output);
      }
      setMode(temporary, source.mode());
      if (noClobber) {
        Files.move(temporary, target);
      } else {
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
      }
    } catch (IOException | RuntimeException e) {
      discard(temporary, e);
      throw e;
    } finally {
      cleanup.remove(number);
    }
    progress.addItem();
  }

  private static void discard(Path temporary, Exception reason) {
    try {
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  private void pump(InputStream source, OutputStream target) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    for (int count = fill(source, buffer); count > 0; count = fill(source, buffer)) {
      target.write(buffer, 0, count);
      progress.addBytes(count);
    }
  }

  /** As much as there is: pipes give little at a time. */
  private static int fill(InputStream source, byte[] buffer) throws IOException {
    return source.readNBytes(buffer, 0, buffer.length);
  }

  /** Permission bits of a local file; read and write for its owner where there are none. */
  static int modeOf(Path file, int otherwise) throws IOException {
    if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      return otherwise;
    }
    int mode = 0;
    for (PosixFilePermission permission : Files.getPosixFilePermissions(file)) {
      mode |= bit(permission);
    }
    return mode;
  }

  static void setMode(Path file, int mode) throws IOException {
    if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      return;
    }
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    for (PosixFilePermission permission : PosixFilePermission.values()) {
      if ((mode & bit(permission)) != 0) {
        permissions.add(permission);
      }
    }
    Files.setPosixFilePermissions(file, permissions);
  }

  private static int bit(PosixFilePermission permission) {
    return switch (permission) {
      case OWNER_READ -> 0400;
      case OWNER_WRITE -> 0200;
      case OWNER_EXECUTE -> 0100;
      case GROUP_READ -> 040;
      case GROUP_WRITE -> 020;
      case GROUP_EXECUTE -> 010;
      case OTHERS_READ -> 04;
      case OTHERS_WRITE -> 02;
      case OTHERS_EXECUTE -> 01;
    };
  }
}
