package org.weft.nfs.files;

import java.util.Set;
import org.weft.client.ids.Answers;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeChange;

/** What operations answer when they are done, where it is more or less than {@link Answers}. */
public final class FileReply {
  private FileReply() {}

  /** The rights that the caller has, of those that it asked for. */
  public record Granted(Set<AccessRight> rights, NodeAttributes node) {
    public Granted {
      rights = Set.copyOf(rights);
    }
  }

  /**
   * Bytes were taken.
   *
   * @param countBytes at least one, unless none were given
   * @param stability at least the requested one
   * @param verifier as {@link Committed} has it
   */
  public record Written(int countBytes, Stability stability, long verifier, NodeChange node) {}

  /**
   * All that was written UNSTABLE with the same verifier, in the range, is on stable storage.
   *
   * @param verifier changes whenever bytes that were answered may have been lost
   */
  public record Committed(long verifier, NodeChange node) {}

  /** Space of a volume, as files can use it there. */
  public record Space(
      long totalBytes, long freeBytes, long totalFiles, long freeFiles, NodeAttributes node) {}
}
