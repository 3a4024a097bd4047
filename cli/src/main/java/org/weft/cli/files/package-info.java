/**
 * What every command that works with a cluster's files stands on: its session, patterns in paths,
 * walks over trees and work on several files at a time.
 */
package org.weft.cli.files;
