package org.weft.cli.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.weft.cli.files.RemoteFiles;
import org.weft.client.AttributeChanges;
import org.weft.client.CreateOptions;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Copies single files into the cluster. A file appears under its own name only when it is whole. It
 * is written under a random temporary name that did not exist before. The temporary file is removed
 * when the copy fails or the command is interrupted. Thread-safe.
 */
final class CopyIn {
  private final Transfer transfer;
  private final RemoteFiles files;

  CopyIn(Transfer transfer) {
    this.transfer = transfer;
    this.files = transfer.files();
  }

  /** Copies a stream, which stays open. */
  void stream(InputStream source, WeftPath target) throws IOException {
    requireFree(target);
    copy(source, target, CreateOptions.DEFAULT_MODE, Optional.empty());
  }

  /** Copies a regular file, unless it is there already. */
  void file(Path local, WeftPath target) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(local, BasicFileAttributes.class);
    Optional<FileStatus> there =
        transfer.options().update() ? files.findLink(target) : Optional.empty();
    long mtimeMillis = attributes.lastModifiedTime().toMillis();
    if (there.isPresent()
        && transfer.options().isCurrent(attributes.size(), mtimeMillis, there.get())) {
      transfer.skip();
      return;
    }
    requireFree(target);
    int mode = LocalModes.modeOf(local, CreateOptions.DEFAULT_MODE);
    try (InputStream input = Files.newInputStream(local)) {
      copy(input, target, mode, preserved(attributes, mode));
    }
  }

  /** Modes and times to set, if they are to be taken along. */
  Optional<AttributeChanges> preserved(BasicFileAttributes attributes, int mode) {
    return transfer.options().preserve()
        ? Optional.of(
            AttributeChanges.none()
                .withMode(mode)
                .withMtimeMillis(attributes.lastModifiedTime().toMillis())
                .withAtimeMillis(attributes.lastAccessTime().toMillis()))
        : Optional.empty();
  }

  /** Makes a symbolic link that leads to the same text. */
  void link(Path local, WeftPath target) throws IOException {
    String text = Files.readSymbolicLink(local).toString();
    Optional<FileStatus> there = files.findLink(target);
    if (there.isPresent() && there.get().symlinkTarget().equals(Optional.of(text))) {
      transfer.skip();
      return;
    }
    requireFree(target);
    WeftPath temporary = temporary(target);
    var unused = files.symlink(text, temporary);
    long number = transfer.cleanup().add(() -> remove(temporary, new IOException("interrupted")));
    try {
      files.rename(temporary, target, !transfer.options().noClobber());
    } catch (IOException e) {
      remove(temporary, e);
      throw e;
    } finally {
      transfer.cleanup().remove(number);
    }
    transfer.progress().addItem();
  }

  /** Before anything is moved: a copy that must not replace learns it at once. */
  private void requireFree(WeftPath target) throws IOException {
    if (transfer.options().noClobber() && files.findLink(target).isPresent()) {
      throw new WeftException(ErrorCode.EXISTS, target + ": exists");
    }
  }

  private static WeftPath temporary(WeftPath target) {
    return target.parent().orElseThrow().child(TemporaryName.of(target.name()));
  }

  private void copy(
      InputStream source, WeftPath target, int mode, Optional<AttributeChanges> preserved)
      throws IOException {
    Cleanup cleanup = transfer.cleanup();
    cleanup.begin();
    try {
      copyUnderWay(source, target, mode, preserved);
    } finally {
      cleanup.end();
    }
    transfer.progress().addItem();
  }

  private void copyUnderWay(
      InputStream source, WeftPath target, int mode, Optional<AttributeChanges> preserved)
      throws IOException {
    WeftPath temporary = temporary(target);
    RemoteFiles.Output output = files.create(temporary, mode, false);
    Cleanup cleanup = transfer.cleanup();
    long number = cleanup.add(() -> discard(output, temporary, new IOException("interrupted")));
    try {
      Pump.run(source, output, transfer.progress());
      output.close();
      if (preserved.isPresent()) {
        var unused = files.setAttributes(temporary, preserved.get());
      }
      files.rename(temporary, target, !transfer.options().noClobber());
    } catch (IOException | RuntimeException e) {
      if (cleanup.ended()) {
        throw interrupted(target.toString(), e);
      }
      discard(output, temporary, e);
      throw e;
    } finally {
      cleanup.remove(number);
    }
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
    remove(temporary, reason);
  }

  private void remove(WeftPath temporary, Exception reason) {
    try {
      files.unlink(temporary);
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }
}
