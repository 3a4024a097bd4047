package org.weft.sysmgr.configuration.stored;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.weft.sysmgr.configuration.state.Configuration;

/** A whole configuration as it travels: the bytes of a snapshot, compressed with gzip. */
public final class PackedConfiguration {
  /** Of a snapshot when it is unpacked: far more than the rows of the largest cluster. */
  private static final int MAX_BYTES = 64 << 20;

  private PackedConfiguration() {}

  /** The bytes of a configuration. */
  public static ByteString pack(Configuration configuration) {
    ByteString.Output packed = ByteString.newOutput();
    try (GZIPOutputStream target = new GZIPOutputStream(packed)) {
      SnapshotCodec.write(configuration, target);
    } catch (IOException e) {
      throw new UncheckedIOException("memory does not fail", e);
    }
    return packed.toByteString();
  }

  /** An {@link IllegalArgumentException} if the bytes are anything else. */
  public static Configuration unpack(ByteString packed) {
    try (InputStream source = new GZIPInputStream(packed.newInput())) {
      byte[] bytes = source.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new IllegalArgumentException("a configuration of more than 64 MiB");
      }
      return SnapshotCodec.read(ByteString.copyFrom(bytes).newInput());
    } catch (IOException e) {
      throw new IllegalArgumentException("no packed configuration: " + e.getMessage(), e);
    }
  }
}
