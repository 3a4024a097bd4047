package org.weft.protocol.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.random.RandomGenerator;
import org.weft.protocol.seam.BootIdentity;

/**
 * The kernel's own name of this boot. Where there is none to read, each start of the process counts
 * as a boot. That only makes more of what was written suspect, never less (P 5.9).
 */
final class KernelBootIdentity implements BootIdentity {
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  private final String bootId;
  private final MountedFileSystems fileSystems = MountedFileSystems.ofKernel();

  KernelBootIdentity(RandomGenerator random) {
    this.bootId = read(random);
  }

  private static String read(RandomGenerator random) {
    try {
      String id = Files.readString(BOOT_ID).trim();
      if (!id.isEmpty()) {
        return id;
      }
    } catch (IOException e) {
      // Not Linux, or /proc is hidden: the name made up below is as safe.
    }
    return "process-" + Long.toHexString(random.nextLong());
  }

  @Override
  public String bootId() {
    return bootId;
  }

  @Override
  public String mountId(Path directory) {
    return fileSystems.idOf(directory);
  }

  @Override
  public String folderId(Path directory) {
    try {
      return Files.getAttribute(directory, "unix:dev")
          + ":"
          + Files.getAttribute(directory, "unix:ino");
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      // Not Linux: copies are told by what they hold alone.
      return "";
    }
  }
}
