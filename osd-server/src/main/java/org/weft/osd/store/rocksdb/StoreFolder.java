package org.weft.osd.store.rocksdb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.OutOfSpaceException;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.disk.Fallocate;
import org.weft.osd.store.engine.OsdfsStore;
import org.weft.osd.store.engine.recovery.CacheLife;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.BootIdentity;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.system.FileSegmentDirectory;

/**
 * An object store on a disk: the tables in folder {@code tables}, the bytes in folder {@code
 * segments}.
 */
public record StoreFolder(Path folder) {
  /**
   * Opens the store, or formats it if the folder is empty or absent.
   *
   * @throws WeftException UNAVAILABLE (open elsewhere), VERSION_MISMATCH, BAD_MEDIA or NO_SPACE
   */
  public ObjectStore open(StoreOptions options, Environment environment) throws WeftException {
    return open(options, environment, UnaryOperator.identity());
  }

  /**
   * The same on another disk.
   *
   * @param disk what is to be used in place of the folder of the segments
   */
  public ObjectStore open(
      StoreOptions options, Environment environment, UnaryOperator<SegmentDirectory> disk)
      throws WeftException {
    KeyValueStore tables = null;
    SegmentDirectory segments;
    try {
      tables = RocksKeyValueStore.open(tablesFolder());
      segments = disk.apply(new FileSegmentDirectory(segmentsFolder(), new Fallocate()));
    } catch (IOException e) {
      if (tables != null) {
        closeQuietly(tables, e);
      }
      throw unopened(e);
    }
    return OsdfsStore.open(
        options,
        tables,
        segments,
        environment.scheduler(),
        environment.random(),
        () -> cacheLife(environment.bootIdentity()).toString());
  }

  /** Tables and segments lie on one file system, unless links lead elsewhere. */
  private CacheLife cacheLife(BootIdentity identity) {
    SortedSet<String> mounts = new TreeSet<>();
    mounts.add(identity.mountId(tablesFolder()));
    mounts.add(identity.mountId(segmentsFolder()));
    mounts.remove("");
    String folders = identity.folderId(tablesFolder()) + " " + identity.folderId(segmentsFolder());
    return new CacheLife(identity.bootId(), String.join(", ", mounts), folders.strip());
  }

  /** The tables of a store that is open nowhere; nothing is changed. */
  public KeyValueStore openTablesReadOnly() throws WeftException {
    if (!Files.isDirectory(tablesFolder())) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, "there is no object store in " + folder);
    }
    try {
      return RocksKeyValueStore.openReadOnly(tablesFolder());
    } catch (IOException e) {
      throw unopened(e);
    }
  }

  public SegmentDirectory openSegments() throws WeftException {
    try {
      return new FileSegmentDirectory(segmentsFolder());
    } catch (IOException e) {
      throw unopened(e);
    }
  }

  private Path tablesFolder() {
    return folder.resolve("tables");
  }

  private Path segmentsFolder() {
    return folder.resolve("segments");
  }

  private WeftException unopened(IOException e) {
    return e instanceof WeftException known
        ? known
        : OutOfSpaceException.caused(e)
            ? new WeftException(
                ErrorCode.NO_SPACE,
                "the disk has no space to open the object store in "
                    + folder
                    + ", which needs about 64 MiB: free some ("
                    + e.getMessage()
                    + ")",
                e)
            : new WeftException(
                ErrorCode.BAD_MEDIA,
                "the object store in " + folder + " cannot be opened: " + e,
                e);
  }

  private static void closeQuietly(KeyValueStore tables, IOException why) {
    try {
      tables.close();
    } catch (IOException e) {
      why.addSuppressed(e);
    }
  }
}
