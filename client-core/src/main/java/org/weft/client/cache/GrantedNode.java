package org.weft.client.cache;

import java.util.Optional;
import org.weft.client.ids.OnBehalfOf;
import org.weft.protocol.wire.FileAttributes;

/**
 * A file by its number as one read grant has it (P 6.5c.8). What a manager tells later of the file
 * under the same grant is the same, and no client writes it meanwhile.
 *
 * @param rights of the caller that it was looked up for: 4 read, 2 write, 1 execute
 * @param grant the same object as long as the grant has not ended, and of no later grant
 */
public record GrantedNode(FileAttributes attributes, int rights, Object grant) {
  /** Empty if not all of it is known. Whether it may be relied on is not asked. */
  static Optional<GrantedNode> of(CachedNode node, OnBehalfOf caller) {
    return of(node, node.attributes(), caller);
  }

  /** The same of a file that may be written meanwhile: length and times may be others by now. */
  static Optional<GrantedNode> rightsOf(CachedNode node, OnBehalfOf caller) {
    return of(node, node.described(), caller);
  }

  private static Optional<GrantedNode> of(
      CachedNode node, FileAttributes attributes, OnBehalfOf caller) {
    Integer rights = node.rights(caller);
    if (attributes == null || rights == null) {
      return Optional.empty();
    }
    node.use();
    return Optional.of(new GrantedNode(attributes, rights, node));
  }
}
