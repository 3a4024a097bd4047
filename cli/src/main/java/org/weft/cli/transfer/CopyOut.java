package org.weft.cli.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.weft.client.FileStatus;

/**
 * Copies single files of the cluster to this machine. A file appears under its own name only when
 * it is whole. It is written under a random temporary name with mode 0600. The temporary file is
 * removed when the copy fails or the command is interrupted. No symbolic link is written through.
 * Thread-safe.
 */
final class CopyOut {
  private final Transfer transfer;
  private final int umask;

  CopyOut(Transfer transfer, int umask) {
    this.transfer = transfer;
    this.umask = umask;
  }

  /** Copies a file, unless it is there already. */
  void file(FileStatus source, LocalDirectory directory, String name) throws IOException {
    if (isCurrent(source, directory, name)) {
      transfer.skip();
      return;
    }
    requireFree(directory, name);
    transfer.cleanup().begin();
    try {
      copy(source, directory, name);
    } finally {
      transfer.cleanup().end();
    }
    transfer.progress().addItem();
  }

  private void copy(FileStatus source, LocalDirectory directory, String name) throws IOException {
    String temporary = directory.temporaryName();
    SeekableByteChannel made = directory.make(temporary);
    try (made) {
      long number =
          transfer
              .cleanup()
              .add(() -> discard(directory, temporary, new IOException("interrupted")));
      try {
        try (InputStream input = transfer.files().open(source.path());
            OutputStream output = output(made)) {
          Pump.run(input, output, transfer.progress());
        }
        Optional<LocalModes.Times> times =
            transfer.options().preserve()
                ? Optional.of(LocalModes.Times.of(source))
                : Optional.empty();
        int mode = transfer.options().preserve() ? source.mode() : source.mode() & ~umask;
        directory.setAttributes(temporary, times, mode);
        rename(directory, temporary, name);
      } finally {
        transfer.cleanup().remove(number);
      }
    } catch (IOException | RuntimeException e) {
      discard(directory, temporary, e);
      throw e;
    }
  }

  private OutputStream output(SeekableByteChannel made) {
    return transfer.options().sparse() ? new SparseFile(made) : Channels.newOutputStream(made);
  }

  /** Makes a symbolic link that leads to the same text. */
  void link(FileStatus source, LocalDirectory directory, String name) throws IOException {
    Path text = Path.of(source.symlinkTarget().orElseThrow());
    boolean isLink = directory.find(name).filter(BasicFileAttributes::isSymbolicLink).isPresent();
    if (isLink && Files.readSymbolicLink(directory.place(name)).equals(text)) {
      transfer.skip();
      return;
    }
    requireFree(directory, name);
    String temporary = directory.temporaryName();
    directory.makeLink(temporary, text);
    try {
      rename(directory, temporary, name);
    } catch (IOException e) {
      discard(directory, temporary, e);
      throw e;
    }
    transfer.progress().addItem();
  }

  /** Before anything is moved: a copy that must not replace learns it at once. */
  private void requireFree(LocalDirectory directory, String name) throws IOException {
    if (transfer.options().noClobber() && directory.find(name).isPresent()) {
      throw new FileAlreadyExistsException(directory.place(name).toString());
    }
  }

  private boolean isCurrent(FileStatus source, LocalDirectory directory, String name)
      throws IOException {
    if (!transfer.options().update()) {
      return false;
    }
    Optional<BasicFileAttributes> there =
        directory.find(name).filter(BasicFileAttributes::isRegularFile);
    return there.isPresent()
        && transfer
            .options()
            .isCurrent(
                source.sizeBytes(),
                source.mtimeMillis(),
                there.get().size(),
                there.get().lastModifiedTime().toMillis());
  }

  private void rename(LocalDirectory directory, String temporary, String name) throws IOException {
    requireFree(directory, name);
    directory.rename(temporary, name);
  }

  private static void discard(LocalDirectory directory, String temporary, Exception reason) {
    try {
      directory.deleteIfExists(temporary);
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }
}
