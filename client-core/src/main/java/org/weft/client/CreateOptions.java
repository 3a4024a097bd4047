package org.weft.client;

import java.util.Optional;
import org.weft.client.file.FileModes;
import org.weft.client.volume.VolumeCalls;

/**
 * How a file is made.
 *
 * @param overwrite replace a file that exists, also one that is being written; else that is an
 *     error (EXISTS)
 * @param createParents make missing directories above it
 * @param mode permission bits before the client's umask is taken off
 * @param layout how it is cut into units; empty: as its directory says, or by the volume's default
 */
public record CreateOptions(
    boolean overwrite, boolean createParents, int mode, Optional<LayoutSpec> layout) {
  /** Read and write for all, before the umask is taken off. */
  public static final int DEFAULT_MODE = 0666;

  public CreateOptions {
    FileModes.check(mode);
  }

  /** A new file, in a directory that exists. */
  public static CreateOptions newFile() {
    return new CreateOptions(false, false, DEFAULT_MODE, Optional.empty());
  }

  /** A file that replaces what may be there. */
  public static CreateOptions replacing() {
    return new CreateOptions(true, false, DEFAULT_MODE, Optional.empty());
  }

  /** The same, making missing directories above the file. */
  public CreateOptions withParents() {
    return new CreateOptions(overwrite, true, mode, layout);
  }

  /**
   * The same with other permission bits.
   *
   * @throws IllegalArgumentException if there are others than 07777
   */
  public CreateOptions withMode(int wanted) {
    return new CreateOptions(overwrite, createParents, wanted, layout);
  }

  /** The same, cut into units so. */
  public CreateOptions withLayout(LayoutSpec wanted) {
    return new CreateOptions(overwrite, createParents, mode, Optional.of(wanted));
  }

  VolumeCalls.Creation creation(int umask) {
    return new VolumeCalls.Creation(
        mode, umask, overwrite, createParents, layout.map(LayoutSpec::toMessage));
  }
}
