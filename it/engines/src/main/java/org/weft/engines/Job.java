package org.weft.engines;

import java.util.List;

/** What a data engineer does with an engine. */
interface Job {
  /**
   * Does it and verifies what came of it.
   *
   * @return one sentence that says what was verified
   * @throws Exception if anything differs from the model, or the engine fails
   */
  String run(Run run, List<String> arguments) throws Exception;
}
