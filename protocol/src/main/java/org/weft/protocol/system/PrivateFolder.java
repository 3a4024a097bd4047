package org.weft.protocol.system;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon's data directory, which its own user alone may enter: it holds keys, the join token and
 * bytes of users' files. A directory that others may enter is named in the log and closed to them.
 */
public final class PrivateFolder {
  private static final Logger LOG = LoggerFactory.getLogger(PrivateFolder.class);
  private static final Set<PosixFilePermission> OWNER_ALONE =
      PosixFilePermissions.fromString("rwx------");

  private PrivateFolder() {}

  /**
   * Makes the directory with mode 0700, and those above it that are missing. Narrows the mode of
   * one that exists. A file system without modes is left as it is.
   *
   * @return the directory
   * @throws IOException if the directory cannot be made, or others may enter it and this process
   *     may not change that
   */
  public static Path prepare(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder);
      narrow(folder, false);
    } else {
      narrow(folder, true);
    }
    return folder;
  }

  private static void narrow(Path folder, boolean existed) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(folder, PosixFileAttributeView.class);
    if (view == null) {
      LOG.warn("{} lies on a file system without modes: others may be able to read it", folder);
      return;
    }
    Set<PosixFilePermission> found = view.readAttributes().permissions();
    if (OWNER_ALONE.containsAll(found)) {
      return;
    }
    String mode = PosixFilePermissions.toString(found);
    try {
      view.setPermissions(OWNER_ALONE);
    } catch (FileSystemException e) {
      throw new IOException(
          "other users may enter "
              + folder
              + " (mode "
              + mode
              + "), and this process may not change that; make it this user's own (chown), or run"
              + " chmod 700 "
              + folder,
          e);
    }
    if (existed) {
      LOG.warn("other users could enter {} (mode {}); its mode is 0700 now", folder, mode);
    }
  }
}
