package org.weft.flink;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.hadoop.fs.Path;

/** Pending files as bytes within a checkpoint: target and temporary name, then the size. */
final class PendingFileSerializer implements SimpleVersionedSerializer<PendingFile> {
  private static final int VERSION = 1;

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(PendingFile file) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeUTF(file.target().toString());
      out.writeUTF(file.temporary().toString());
      out.writeLong(file.sizeBytes());
    }
    return bytes.toByteArray();
  }

  @Override
  public PendingFile deserialize(int version, byte[] serialized) throws IOException {
    if (version != VERSION) {
      throw new IOException(
          "the checkpoint has a pending file of version "
              + version
              + ", this client jar reads version "
              + VERSION
              + "; take the client jar that wrote it, or a newer one");
    }
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized))) {
      return new PendingFile(new Path(in.readUTF()), new Path(in.readUTF()), in.readLong());
    }
  }
}
