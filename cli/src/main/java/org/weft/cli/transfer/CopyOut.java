package org.weft.cli.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.weft.client.FileStatus;

/**
 * Copies single files of the cluster to this machine. Under its own name a file appears only when
 * it is whole: it is written under a temporary one ({@link LocalTemporary}), which is taken away
 * when that fails or the command is interrupted. No symbolic link is written through. Thread-safe.
 */
final class CopyOut {
  private final Transfer transfer;

  CopyOut(Transfer transfer) {
    this.transfer = transfer;
  }

  /** Copies a file, unless it is there already. */
  void file(FileStatus source, Path target) throws IOException {
    if (isCurrent(source, target)) {
      transfer.skip();
      return;
    }
    requireFree(target);
    transfer.cleanup().begin();
    try {
      copy(source, target);
    } finally {
      transfer.cleanup().end();
    }
    transfer.progress().addItem();
  }

  private void copy(FileStatus source, Path target) throws IOException {
    Path temporary = LocalTemporary.file(target);
    long number = transfer.cleanup().add(() -> discard(temporary, new IOException("interrupted")));
    try {
      try (InputStream input = transfer.files().open(source.path());
          OutputStream output = output(temporary)) {
        Pump.run(input, output, transfer.progress());
      }
      LocalModes.setMode(temporary, source.mode());
      if (transfer.options().preserve()) {
        LocalModes.setTimes(temporary, source.mtimeMillis(), source.atimeMillis());
      }
      move(temporary, target);
    } catch (IOException | RuntimeException e) {
      discard(temporary, e);
      throw e;
    } finally {
      transfer.cleanup().remove(number);
    }
  }

  private OutputStream output(Path temporary) throws IOException {
    return transfer.options().sparse()
        ? new SparseFile(temporary)
        : Files.newOutputStream(temporary, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  }

  /** Makes a symbolic link that leads to the same text. */
  void link(FileStatus source, Path target) throws IOException {
    Path text = Path.of(source.symlinkTarget().orElseThrow());
    if (Files.isSymbolicLink(target) && Files.readSymbolicLink(target).equals(text)) {
      transfer.skip();
      return;
    }
    requireFree(target);
    Path temporary = LocalTemporary.symbolicLink(target, text);
    try {
      move(temporary, target);
    } catch (IOException e) {
      discard(temporary, e);
      throw e;
    }
    transfer.progress().addItem();
  }

  /** Before anything is moved: who must not replace learns it at once. */
  private void requireFree(Path target) throws IOException {
    if (transfer.options().noClobber() && Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(target.toString());
    }
  }

  private boolean isCurrent(FileStatus source, Path target) throws IOException {
    if (!transfer.options().update() || !Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    BasicFileAttributes there =
        Files.readAttributes(target, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    return transfer
        .options()
        .isCurrent(
            source.sizeBytes(),
            source.mtimeMillis(),
            there.size(),
            there.lastModifiedTime().toMillis());
  }

  private void move(Path temporary, Path target) throws IOException {
    if (transfer.options().noClobber()) {
      Files.move(temporary, target);
    } else {
      Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private static void discard(Path temporary, Exception reason) {
    try {
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }
}
