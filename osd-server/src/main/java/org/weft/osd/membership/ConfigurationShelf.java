package org.weft.osd.membership;

import java.io.IOException;

/** Where an OSD keeps its copy of SysMgr's configuration. Thread-safe. */
public interface ConfigurationShelf {
  /** The copy, as it was kept last; empty if there is none. */
  byte[] held() throws IOException;

  /** Replaces the copy. Durable when it returns; a crash before leaves the old one. */
  void keep(byte[] copy) throws IOException;

  /** A shelf that lasts as long as the process. */
  static ConfigurationShelf inMemory() {
    return new ConfigurationShelf() {
      private volatile byte[] copy = {};

      @Override
      public byte[] held() {
        return copy.clone();
      }

      @Override
      public void keep(byte[] newer) {
        copy = newer.clone();
      }
    };
  }
}
