package org.weft.sysmgr.replication.ratis;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.util.MD5FileUtil;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.protocol.system.AtomicFile;

/**
 * Writes a snapshot so that a crash at any instruction leaves either no file of its final name, or
 * the whole one. The whole file has its digest beside it and is durable. The log before it is
 * dropped afterwards.
 */
final class SnapshotFile {
  private SnapshotFile() {}

  static MD5Hash write(Path target, ReplicatedLog.Machine machine) throws IOException {
    Path temporary = target.resolveSibling(target.getFileName() + ".tmp");
    MessageDigest digest = MD5FileUtil.newMD5();
    try (FileChannel file =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      OutputStream out = new DigestOutputStream(Channels.newOutputStream(file), digest);
      machine.save(out);
      out.flush();
      file.force(true);
    }
    MD5Hash hash = MD5Hash.newInstance(digest.digest());
    MD5FileUtil.saveMD5File(target.toFile(), hash);
    Files.move(
        temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    AtomicFile.sync(target.getParent());
    return hash;
  }
}
