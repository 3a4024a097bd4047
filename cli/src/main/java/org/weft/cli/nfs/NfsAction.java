package org.weft.cli.nfs;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import org.weft.cli.cluster.AdminCommand;
import org.weft.cli.cluster.AdminView;
import org.weft.client.cluster.NfsAdmin;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** The common part of the commands on exports. They speak with SysMgr alone. */
abstract class NfsAction extends AdminCommand {
  NfsAction() {
    super("nfs");
  }

  /** Does the work; a failure of a future travels as it is. */
  abstract void run(NfsAdmin admin) throws IOException;

  @Override
  protected final void run(AdminView admin) throws IOException {
    run(admin.nfs());
  }

  /** What is to be removed is not there. */
  static CompletionException missing(String message) {
    return new CompletionException(new WeftException(ErrorCode.NOT_FOUND, message));
  }
}
