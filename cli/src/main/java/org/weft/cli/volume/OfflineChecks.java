package org.weft.cli.volume;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.weft.client.WeftPath;
import org.weft.client.health.VolumeCheckStatus;
import org.weft.metadata.OfflineCheck;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.sysmgr.storage.JoinTokenFile;

/** The check of a volume that no manager serves, in this process. */
final class OfflineChecks implements VolumeCheckCommand.Checks, AutoCloseable {
  private static final int HEAP_PARTS = 16;
  private static final int CACHE_PARTS = 7;

  private final SystemEnvironment system;
  private final OfflineCheck check;

  private OfflineChecks(SystemEnvironment system, OfflineCheck check) {
    this.system = system;
    this.check = check;
  }

  /** Begins it; as {@link OfflineCheck#begin} fails. */
  static OfflineChecks begin(
      List<Endpoint> sysmgrs, Path data, Path joinToken, WeftPath volume, boolean parity)
      throws IOException {
    byte[] token = token(joinToken);
    long cacheBytes =
        Math.max(
            CacheLimits.MIN_BYTES, Runtime.getRuntime().maxMemory() / HEAP_PARTS * CACHE_PARTS);
    SystemEnvironment system = SystemEnvironment.create();
    try {
      OfflineCheck check =
          OfflineCheck.begin(
              new OfflineCheck.Wanted(
                  data, sysmgrs, token, volume.toString(), parity, CacheLimits.ofBytes(cacheBytes)),
              system.environment());
      return new OfflineChecks(system, check);
    } catch (IOException | RuntimeException e) {
      system.close();
      throw e;
    }
  }

  private static byte[] token(Path file) throws IOException {
    try {
      return JoinTokenFile.read(file);
    } catch (NoSuchFileException e) {
      throw new WeftException(
          ErrorCode.NOT_FOUND,
          "--join-token-file: there is no file "
              + file
              + "; it is `join-token` in SysMgr's data directory",
          e);
    }
  }

  @Override
  public VolumeCheckStatus start() throws IOException {
    return status(0, Long.MAX_VALUE, 0);
  }

  @Override
  public VolumeCheckStatus status(long id, long after, int max) throws IOException {
    return VolumeCheckStatus.fromMessage(check.mountPath(), check.status(after, max));
  }

  @Override
  public long nowNanos() {
    return system.environment().ticker().nowNanos();
  }

  @Override
  public void close() throws IOException {
    try {
      check.close();
    } finally {
      system.close();
    }
  }
}
