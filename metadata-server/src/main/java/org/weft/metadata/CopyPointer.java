package org.weft.metadata;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Properties;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/**
 * Says which folder holds the journal of a volume at this manager, where that is a copy of another
 * manager's (P 6.2). Replaced atomically and durably.
 *
 * @param epoch of the primary that had it made
 * @param attempt counts its copies within the epoch
 */
record CopyPointer(String folder, long epoch, long attempt) {
  static Optional<CopyPointer> read(SegmentDirectory files, String name) throws IOException {
    if (!files.list().contains(name)) {
      return Optional.empty();
    }
    Properties properties = new Properties();
    try (SegmentFile file = files.open(name)) {
      ByteBuffer content = ByteBuffer.allocate(Math.toIntExact(file.sizeBytes()));
      file.read(content, 0);
      properties.load(new ByteArrayInputStream(content.array()));
      return Optional.of(
          new CopyPointer(
              properties.getProperty("folder", ""),
              Long.parseLong(properties.getProperty("epoch", "")),
              Long.parseLong(properties.getProperty("attempt", ""))));
    } catch (IllegalArgumentException e) {
      throw new IOException(name + " is damaged: " + e.getMessage() + "; restore it", e);
    }
  }

  void write(SegmentDirectory files, String name) throws IOException {
    String fresh = name + ".new";
    if (files.list().contains(fresh)) {
      files.delete(fresh);
    }
    String text = "folder=" + folder + "\nepoch=" + epoch + "\nattempt=" + attempt + "\n";
    try (SegmentFile file = files.create(fresh)) {
      byte[] content = text.getBytes(StandardCharsets.ISO_8859_1);
      file.write(new ByteBuffer[] {ByteBuffer.wrap(content)}, 0);
      file.sync();
    }
    files.rename(fresh, name);
    files.sync();
  }

  boolean isOlderThan(long otherEpoch, long otherAttempt) {
    return epoch < otherEpoch || epoch == otherEpoch && attempt < otherAttempt;
  }
}
