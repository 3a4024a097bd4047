package org.weft.metadata.directory;

import java.util.List;

/**
 * A page of a directory's entries in the order of their cookies.
 *
 * @param end no entry with a larger cookie exists
 */
public record DirectoryPage(List<NamedEntry> entries, boolean end) {
  public DirectoryPage {
    entries = List.copyOf(entries);
  }
}
