package org.weft.cli.files;

import org.weft.cli.output.Console;

/** A command that has file operations below it, and says where they print and how they connect. */
public interface FilesHost {
  Console console();

  FilesConnector connector();
}
