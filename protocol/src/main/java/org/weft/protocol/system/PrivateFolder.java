package org.weft.protocol.system;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.OptionalInt;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon's data directory, which its own user alone may enter: it holds keys, the join token and
 * bytes of users' files. A directory that others may enter is named in the log and closed to them;
 * one that belongs to another user is refused.
 */
public final class PrivateFolder {
  private static final Logger LOG = LoggerFactory.getLogger(PrivateFolder.class);
  private static final Set<PosixFilePermission> OWNER_ALONE =
      PosixFilePermissions.fromString("rwx------");

  private static final Path OWN_PROCESS = Path.of("/proc/self");

  private PrivateFolder() {}

  /**
   * Makes the directory with mode 0700, and those above it that are missing. Narrows the mode of
   * one that exists. A file system without modes is left as it is.
   *
   * @return the directory
   * @throws IOException if the directory cannot be made, if it is another user's, or if others may
   *     enter it and this process may not change that
   */
  public static Path prepare(Path folder) throws IOException {
    return prepare(folder, ownUser());
  }

  static Path prepare(Path folder, OptionalInt user) throws IOException {
    if (!Files.isDirectory(folder)) {
      DurableFolder.make(folder);
      narrow(folder, false);
    } else {
      requireOwner(folder, user);
      narrow(folder, true);
    }
    return folder;
  }

  /**
   * Checks that what stands there is this process's user's, and that no other user may write to it:
   * then it can be believed. What is not there is passed over, and so is a file system without
   * owners.
   *
   * @throws IOException that names the path and its owner
   */
  public static void requireTrusted(Path place) throws IOException {
    requireTrusted(place, ownUser());
  }

  static void requireTrusted(Path place, OptionalInt user) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(place, PosixFileAttributeView.class);
    if (view == null || !Files.exists(place)) {
      return;
    }
    requireOwner(place, user);
    Set<PosixFilePermission> found = view.readAttributes().permissions();
    if (found.contains(PosixFilePermission.GROUP_WRITE)
        || found.contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new IOException(
          "other users may write to "
              + place
              + " (mode "
              + PosixFilePermissions.toString(found)
              + "), so what it says is not believed; check it, then run chmod go-w "
              + place);
    }
  }

  /** Another user could put there what this process believes, or read what it writes. */
  private static void requireOwner(Path place, OptionalInt user) throws IOException {
    if (user.isEmpty() || !place.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      return;
    }
    int owner = (Integer) Files.getAttribute(place, "unix:uid");
    if (owner != user.getAsInt()) {
      throw new IOException(
          place
              + " belongs to the user "
              + Files.getOwner(place).getName()
              + ", not to the one that this process runs as; run it as that user, name another"
              + " directory, or make it this user's own (chown -R)");
    }
  }

  /** The number of the user that this process runs as, where the system tells it. */
  private static OptionalInt ownUser() throws IOException {
    return Files.exists(OWN_PROCESS)
        ? OptionalInt.of((Integer) Files.getAttribute(OWN_PROCESS, "unix:uid"))
        : OptionalInt.empty();
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
