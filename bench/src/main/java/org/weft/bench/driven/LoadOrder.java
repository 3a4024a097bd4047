package org.weft.bench.driven;

import java.util.List;

/**
 * A load as the options of {@code weft bench} describe it.
 *
 * @param directory under which it works
 * @param options as on a command line: the workload first
 */
public record LoadOrder(String directory, List<String> options) {
  public LoadOrder {
    options = List.copyOf(options);
  }
}
