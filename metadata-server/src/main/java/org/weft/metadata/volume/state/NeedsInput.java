package org.weft.metadata.volume.state;

import java.util.List;
import java.util.Optional;
import org.weft.metadata.objects.Missing;
import org.weft.protocol.id.ObjectId;

/**
 * An operation needs data that is not in the cache. The caller loads it and executes the operation
 * again from scratch (P 6.1). Or it needs the length of a file that only the file's writer knows:
 * the writer is asked (P 6.5).
 */
public final class NeedsInput extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<Missing> missing;
  private final transient Optional<ObjectId> length;

  public NeedsInput(List<Missing> missing) {
    super("to be loaded: " + missing, null, false, false);
    this.missing = List.copyOf(missing);
    this.length = Optional.empty();
  }

  /**
   * @param written the file whose length is to be asked for
   */
  public NeedsInput(ObjectId written) {
    super("to be asked for: the length of object " + written, null, false, false);
    this.missing = List.of();
    this.length = Optional.of(written);
  }

  /** What is to be loaded. */
  public List<Missing> missing() {
    return missing;
  }

  /** The file whose length is to be asked for, if it is that. */
  public Optional<ObjectId> length() {
    return length;
  }
}
