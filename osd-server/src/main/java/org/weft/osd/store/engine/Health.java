package org.weft.osd.store.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/** What is wrong with a store. Problems stay until it is started again. Thread-safe. */
final class Health {
  private static final Logger LOG = LoggerFactory.getLogger(Health.class);
  private static final int MAX_PROBLEMS = 16;

  private final Set<String> problems = new LinkedHashSet<>();
  private long more;
  private volatile String failed;

  /** Notes a problem that hurts single commands. */
  void report(String problem) {
    note(problem, null);
  }

  void report(String problem, Throwable cause) {
    note(problem, cause);
  }

  /** The store must not change any more: what is durable is not known. */
  void fail(String problem, Throwable cause) {
    note(problem, cause);
    if (failed == null) {
      failed = problem;
    }
  }

  /** Refuses changes of a store that {@link #fail failed}. */
  void requireWritable() throws RpcException {
    String reason = failed;
    if (reason != null) {
      throw new RpcException(
          ErrorCode.INTERNAL,
          "the store takes no changes since "
              + reason
              + "; look at the disk, then start the OSD again");
    }
  }

  boolean isFailed() {
    return failed != null;
  }

  synchronized List<String> problems() {
    List<String> all = new ArrayList<>(problems);
    if (more > 0) {
      all.add(more + " more problems are in the log");
    }
    return all;
  }

  private synchronized void note(String problem, Throwable cause) {
    LOG.error("object store: {}", problem, cause);
    if (problems.size() < MAX_PROBLEMS) {
      problems.add(problem);
    } else if (!problems.contains(problem)) {
      more++;
    }
  }
}
