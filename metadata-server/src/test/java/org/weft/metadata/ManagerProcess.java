package org.weft.metadata;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.system.SystemEnvironment;

/** A manager in a JVM of its own, until its standard input ends or it is killed. */
public final class ManagerProcess {
  private ManagerProcess() {}

  /** Arguments: data directory, address of SysMgr, join token in hexadecimal digits. */
  public static void main(String[] args) throws IOException {
    ManagerOptions options =
        new ManagerOptions(
            Path.of(args[0]),
            new Endpoint("127.0.0.1", 0),
            new Endpoint("127.0.0.1", 0),
            List.of(Endpoint.parse(args[1])),
            HexFormat.of().parseHex(args[2]),
            "host",
            3);
    SystemEnvironment system = SystemEnvironment.create();
    ManagerDaemon manager = ManagerDaemon.start(options, system.environment());
    var unused = System.in.transferTo(OutputStream.nullOutputStream());
    manager.close();
    system.close();
  }
}
