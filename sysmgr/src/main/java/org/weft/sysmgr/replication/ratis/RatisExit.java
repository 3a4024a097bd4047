package org.weft.sysmgr.replication.ratis;

import org.apache.ratis.util.ExitUtils;

/**
 * Throws where Ratis would end the whole JVM. Ratis does so when its port is taken and, once its
 * class for that is loaded, on any uncaught exception of any thread. Other parts of Weft may live
 * in the same JVM: here it throws instead.
 */
final class RatisExit {
  private RatisExit() {}

  static void forbid() {
    Thread.UncaughtExceptionHandler ours = Thread.getDefaultUncaughtExceptionHandler();
    ExitUtils.disableSystemExit();
    ExitUtils.setTerminateOnUncaughtException(false);
    Thread.setDefaultUncaughtExceptionHandler(ours);
  }
}
