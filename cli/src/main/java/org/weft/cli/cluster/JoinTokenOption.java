package org.weft.cli.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.weft.cli.config.ConfigException;
import org.weft.sysmgr.storage.JoinTokenFile;
import picocli.CommandLine.Option;

/** The option that names the file with the cluster's join token, for commands that sign by it. */
public final class JoinTokenOption {
  private static final String VARIABLE = "WEFT_JOIN_TOKEN_FILE";

  @Option(
      names = "--join-token-file",
      paramLabel = "FILE",
      description =
          "The cluster's join token, SysMgr's file join-token; else the file that $WEFT_JOIN_TOKEN_FILE names.")
  private Path given;

  /**
   * The token.
   *
   * @throws ConfigException if no file is named, or there is none
   */
  public byte[] read() throws IOException {
    String variable = System.getenv(VARIABLE);
    Path file = given != null ? given : variable == null ? null : Path.of(variable);
    if (file == null || !Files.exists(file)) {
      throw new ConfigException(
          (file == null ? "the join token is needed" : "there is no file " + file)
              + ": name SysMgr's file join-token with --join-token-file or "
              + VARIABLE);
    }
    try {
      return JoinTokenFile.read(file);
    } catch (NoSuchFileException e) {
      throw new ConfigException("there is no file " + file);
    }
  }
}
