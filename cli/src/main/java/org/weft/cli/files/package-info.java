/**
 * The base of every command that works with the files of a cluster. It has the session, patterns in
 * paths, walks over trees, and work on several files at a time.
 */
package org.weft.cli.files;
