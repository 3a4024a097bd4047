package org.weft.metadata;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;
import org.weft.protocol.wire.VolumeHealth;

/**
 * How far a data directory has come, as one number that never falls, whatever volumes come and go.
 * It grows by one when a journal has changed since the last look (P 5.10). The number is durable in
 * the file {@code progress} before SysMgr is told. So the newest directory never holds less than
 * what was told. An earlier copy holds less once the next look has found a change.
 *
 * <p>Confined to the home executor, but for the writing, which is on a thread that may block.
 */
final class JournalProgress {
  static final String FILE = "progress";
  private static final Logger LOG = LoggerFactory.getLogger(JournalProgress.class);
  private static final String FRESH_FILE = FILE + ".new";
  private static final String KEY = "count";

  /** The state of a volume's journal that is compared with the last look. */
  private record Seen(long volume, long epoch, long records, long bytes) {}

  private final SegmentDirectory files;
  private final long atOpening;
  private volatile long durable;
  private volatile boolean writing;
  private List<Seen> last = List.of();
  private long lastCopiesChanges;
  private boolean failed;

  private JournalProgress(SegmentDirectory files, long atOpening) {
    this.files = files;
    this.atOpening = atOpening;
    this.durable = atOpening;
  }

  /** The progress of a directory at its opening; 0 in one of an older release. */
  static JournalProgress read(SegmentDirectory files) throws IOException {
    if (!files.list().contains(FILE)) {
      return new JournalProgress(files, 0);
    }
    Properties properties = new Properties();
    try (SegmentFile file = files.open(FILE)) {
      ByteBuffer content = ByteBuffer.allocate(Math.toIntExact(file.sizeBytes()));
      file.read(content, 0);
      properties.load(new ByteArrayInputStream(content.array()));
      return new JournalProgress(files, Long.parseLong(properties.getProperty(KEY, "")));
    } catch (IllegalArgumentException e) {
      throw new IOException(
          FILE + " of the manager's data directory is damaged: " + e.getMessage() + "; restore it",
          e);
    }
  }

  /** What the directory held when this process opened it. */
  long atOpening() {
    return atOpening;
  }

  /** The progress that SysMgr may be told: the directory holds that much for good. */
  long durable() {
    return durable;
  }

  /**
   * Compares the journals with the last look, and lets a larger number be written where they
   * differ.
   *
   * @param copiesChanges grows with each change of a copy of another manager's journal
   * @param writer runs what may block
   */
  void look(List<VolumeHealth> volumes, long copiesChanges, Executor writer) {
    if (writing) {
      return;
    }
    List<Seen> now = new ArrayList<>();
    for (VolumeHealth each : volumes) {
      now.add(
          new Seen(
              each.getVolumeId(),
              each.getEpoch(),
              each.getJournalRecords(),
              each.getJournalBytes()));
    }
    if (now.equals(last) && copiesChanges == lastCopiesChanges) {
      return;
    }
    last = now;
    lastCopiesChanges = copiesChanges;
    writing = true;
    try {
      writer.execute(this::writeNext);
    } catch (RejectedExecutionException e) {
      // The next look finds the difference again.
      last = List.of();
      lastCopiesChanges = -1;
      writing = false;
    }
  }

  private void writeNext() {
    long next = durable + 1;
    try {
      write(next);
      durable = next;
      failed = false;
    } catch (IOException e) {
      // What the disk does to the journal decides; without this number an old copy is not told
      // apart.
      if (!failed) {
        LOG.warn("the progress of the journals cannot be stored: {}", e.getMessage());
      }
      failed = true;
    } finally {
      writing = false;
    }
  }

  private void write(long count) throws IOException {
    if (files.list().contains(FRESH_FILE)) {
      files.delete(FRESH_FILE);
    }
    try (SegmentFile fresh = files.create(FRESH_FILE)) {
      byte[] content = (KEY + "=" + count + "\n").getBytes(StandardCharsets.ISO_8859_1);
      fresh.write(new ByteBuffer[] {ByteBuffer.wrap(content)}, 0);
      fresh.sync();
    }
    files.rename(FRESH_FILE, FILE);
    files.sync();
  }
}
