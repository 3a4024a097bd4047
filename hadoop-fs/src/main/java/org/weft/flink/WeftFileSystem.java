package org.weft.flink;

import java.util.Map;
import org.apache.flink.core.fs.RecoverableWriter;
import org.apache.flink.runtime.fs.hdfs.HadoopFileSystem;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;

/** Flink's Hadoop file system, with Weft's own recoverable writer. Safe for many threads. */
final class WeftFileSystem extends HadoopFileSystem {
  private final FileSystem files;
  private final LeaseRecoverable leases;

  /** Both are the same object. */
  WeftFileSystem(FileSystem files, LeaseRecoverable leases) {
    super(files);
    this.files = files;
    this.leases = leases;
  }

  @Override
  public RecoverableWriter createRecoverableWriter() {
    return new WeftRecoverableWriter(files, leases);
  }

  /**
   * What Flink 2 asks for; the class that this one is compiled against does not have it yet.
   *
   * @param options hints that are HDFS's alone
   */
  public RecoverableWriter createRecoverableWriter(Map<String, String> options) {
    return createRecoverableWriter();
  }
}
